//! One JSON object a text frame: how requests and replies look.
//!
//! Keys match whatever their case, null means the default and unknown keys are ignored, as everywhere on this wire.
//! Parameters and results stay raw here; who knows their types decodes them.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use juju_wire::Error;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, MapAccess},
};
use serde_json::{Value, value::RawValue};

/// Any frame, as it arrived.
#[derive(Default)]
pub struct Envelope<'a> {
    pub request_id: u64,
    pub facade: Cow<'a, str>,
    pub version: i64,
    pub object: Cow<'a, str>,
    pub method: Cow<'a, str>,
    pub params: Option<&'a RawValue>,
    pub error: Cow<'a, str>,
    pub error_code: Cow<'a, str>,
    pub error_info: Option<&'a RawValue>,
    pub response: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    pub fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Juju's rule: a frame that names a facade or a method is a request, all others are replies.
    pub fn is_request(&self) -> bool {
        !self.facade.is_empty() || !self.method.is_empty()
    }

    /// What a reply says.
    pub fn outcome(self) -> Result<Option<&'a RawValue>, Error> {
        if self.error.is_empty() && self.error_code.is_empty() {
            return Ok(self.response);
        }
        // An info that is not an object cannot be of use to anyone; the error itself matters more.
        let info = self.error_info.and_then(|it| serde_json::from_str(it.get()).ok()).unwrap_or_default();
        Err(Error { message: self.error.into_owned(), code: self.error_code.into_owned(), info })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Envelope<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a request or a reply")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'de>, A::Error> {
                let mut it = Envelope::default();
                while let Some(Text(key)) = map.next_key::<Text<'de>>()? {
                    match key.to_ascii_lowercase().as_str() {
                        "request-id" => it.request_id = map.next_value::<Option<u64>>()?.unwrap_or_default(),
                        "type" => it.facade = text(&mut map)?,
                        "version" => it.version = map.next_value::<Option<i64>>()?.unwrap_or_default(),
                        "id" => it.object = text(&mut map)?,
                        "request" => it.method = text(&mut map)?,
                        "params" => it.params = map.next_value()?,
                        "error" => it.error = text(&mut map)?,
                        "error-code" => it.error_code = text(&mut map)?,
                        "error-info" => it.error_info = map.next_value()?,
                        "response" => it.response = map.next_value()?,
                        _ => {
                            map.next_value::<de::IgnoredAny>()?;
                        }
                    }
                }
                Ok(it)
            }
        }
        from.deserialize_map(Visitor)
    }
}

fn text<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Cow<'de, str>, A::Error> {
    Ok(map.next_value::<Option<Text<'de>>>()?.map(|it| it.0).unwrap_or_default())
}

/// A string that is borrowed unless it holds escapes.
struct Text<'a>(Cow<'a, str>);
impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E: de::Error>(self, it: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(it)))
            }
            fn visit_str<E: de::Error>(self, it: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(it.to_owned())))
            }
        }
        from.deserialize_str(Visitor)
    }
}

/// A request to be sent.
#[derive(Serialize)]
pub struct Call<'a, P> {
    #[serde(rename = "request-id")]
    pub request_id: u64,
    #[serde(rename = "type")]
    pub facade: &'a str,
    pub version: i64,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub id: &'a str,
    #[serde(rename = "request")]
    pub method: &'a str,
    pub params: P,
}

#[derive(Serialize)]
struct Success<'a> {
    #[serde(rename = "request-id")]
    request_id: u64,
    response: &'a RawValue,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Failure<'a> {
    request_id: u64,
    error: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    error_code: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    error_info: &'a BTreeMap<String, Value>,
    response: Nothing,
}

/// An error reply carries an empty result as well; python-libjuju looks into it.
#[derive(Serialize)]
struct Nothing {}

/// The text of a reply.
pub fn reply(request_id: u64, outcome: &Result<Box<RawValue>, Error>) -> String {
    let text = match outcome {
        Ok(response) => serde_json::to_string(&Success { request_id, response }),
        Err(error) => serde_json::to_string(&Failure {
            request_id,
            error: if error.message.is_empty() { &error.code } else { &error.message },
            error_code: &error.code,
            error_info: &error.info,
            response: Nothing {},
        }),
    };
    text.expect("strings, numbers and values that were JSON before are JSON again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_match_in_any_case_and_null_is_the_default() {
        let text = r#"{"Request-Id":7,"TYPE":"AllWatcher","version":3,"Id":"1","request":"Next","params":null,"x":[1]}"#;
        let it = Envelope::parse(text).unwrap();
        assert!(it.is_request());
        assert_eq!((it.request_id, it.version), (7, 3));
        assert_eq!((&*it.facade, &*it.object, &*it.method), ("AllWatcher", "1", "Next"));
        assert!(it.params.is_none());
        let it =
            Envelope::parse(r#"{"request-id":null,"type":null,"request":"a\u0041","version":null}"#).unwrap();
        assert_eq!((it.request_id, &*it.facade, &*it.method), (0, "", "aA"));
    }

    #[test]
    fn a_reply_is_a_result_or_an_error() {
        let it = Envelope::parse(r#"{"request-id":1,"response":{"a":1}}"#).unwrap();
        assert!(!it.is_request());
        assert_eq!(it.outcome().unwrap().unwrap().get(), r#"{"a":1}"#);
        let text =
            r#"{"request-id":8,"error":"no","error-code":"not found","error-info":{"a":1},"response":{}}"#;
        let error = Envelope::parse(text).unwrap().outcome().unwrap_err();
        assert_eq!((error.code.as_str(), error.message.as_str()), ("not found", "no"));
        assert_eq!(error.info["a"], 1);
        let error = Envelope::parse(r#"{"error":"no","error-info":[1]}"#).unwrap().outcome().unwrap_err();
        assert!(error.info.is_empty());
    }

    #[test]
    fn replies_are_written_as_juju_writes_them() {
        let ok = RawValue::from_string(r#"{"a":1}"#.into()).unwrap();
        assert_eq!(reply(7, &Ok(ok)), r#"{"request-id":7,"response":{"a":1}}"#);
        assert_eq!(
            reply(8, &Err(Error::not_found("application \"nope\""))),
            r#"{"request-id":8,"error":"application \"nope\" not found","error-code":"not found","response":{}}"#
        );
        assert_eq!(reply(9, &Err(Error::other("x"))), r#"{"request-id":9,"error":"x","response":{}}"#);
        // An error must not read as a success, so one without a text shows its code.
        assert_eq!(
            reply(1, &Err(Error::new("stopped", ""))),
            r#"{"request-id":1,"error":"stopped","error-code":"stopped","response":{}}"#
        );
    }

    #[test]
    fn a_call_is_written_with_its_object_only_if_it_has_one() {
        let call =
            Call { request_id: 1, facade: "Pinger", version: 1, id: "", method: "Ping", params: Nothing {} };
        let text = r#"{"request-id":1,"type":"Pinger","version":1,"request":"Ping","params":{}}"#;
        assert_eq!(serde_json::to_string(&call).unwrap(), text);
        let call = Call { id: "3", ..call };
        assert!(serde_json::to_string(&call).unwrap().contains(r#""id":"3""#));
    }

    #[test]
    fn malformed_frames_are_errors() {
        for text in
            ["", "[]", "null", "7", "{", r#"{"request-id":-1}"#, r#"{"request-id":"1"}"#, r#"{"type":3}"#]
        {
            assert!(Envelope::parse(text).is_err(), "{text}");
        }
    }
}
