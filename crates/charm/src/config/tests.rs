//! Options and their values.

use juju_core::Settings;
use serde_json::json;

use super::*;

fn config() -> Config {
    Config::parse(
        "options:\n  title: {default: My Title, description: A title., type: string}\n  \
         outlook: {description: No default., type: string}\n  username: {default: admin001}\n  \
         skill: {type: int, default: 3}\n  agility: {type: float, default: 2}\n  fast: {type: boolean}\n  \
         key: {type: secret}\n",
    )
    .unwrap()
}

#[test]
fn options() {
    let config = config();
    assert_eq!(config.options["username"].option_type, OptionType::String);
    assert_eq!(config.options["agility"].default, Some(ConfigValue::Float(2.0)));
    assert_eq!(config.options["outlook"].default, None);
    assert_eq!(config.defaults().keys().collect::<Vec<_>>(), ["agility", "skill", "title", "username"]);
    let json = serde_json::to_value(&config).unwrap();
    assert_eq!(json["options"]["skill"], json!({"type": "int", "default": 3}));
    assert_eq!(serde_json::from_value::<Config>(json).unwrap(), config);
    for none in ["options: {}", "options:"] {
        assert!(Config::parse(none).unwrap().options.is_empty(), "{none}");
    }
}

/// What Juju 3.6 makes of a text option's default, unquoted: the text, or an error that names the option.
#[test]
fn text_that_looks_like_something_else() {
    for (plain, expected) in [
        ("01182252", Ok("01182252")),
        ("08", Ok("08")),
        ("0x1F", Err("31")),
        ("1e3", Err("1000.0")),
        ("0777", Err("511")),
        ("1_000", Err("1000")),
        ("1.10", Err("1.1")),
        ("yes", Err("true")),
        ("on", Err("true")),
        ("12:34:56", Ok("12:34:56")),
        ("2024-01-01", Ok("2024-01-01")),
    ] {
        let default = |text: &str| {
            let config = Config::parse(&format!("options: {{key: {{type: string, default: {text}}}}}"));
            config.map(|it| it.options["key"].default.clone()).map_err(|it| it.to_string())
        };
        let expected = expected
            .map(|it| Some(ConfigValue::String(it.to_owned())))
            .map_err(|it| format!("invalid config default: option \"key\" expected string, got {it}"));
        assert_eq!(default(plain), expected, "{plain}");
        assert_eq!(default(&format!("'{plain}'")), Ok(Some(ConfigValue::String(plain.to_owned()))));
    }
    for none in ["null", "~"] {
        let config = Config::parse(&format!("options: {{key: {{type: string, default: {none}}}}}")).unwrap();
        assert_eq!(config.options["key"].default, None);
    }
}

#[test]
fn bad_files() {
    for (text, error) in [
        ("", "invalid config: empty configuration"),
        ("# nothing", "invalid config: empty configuration"),
        ("title: x", "invalid config: empty configuration"),
        ("[]", "invalid config: expected map, got list"),
        ("options: [x]", "invalid config: options: expected map, got list"),
        ("options: {x: z}", r#"invalid config: options.x: expected map, got string("z")"#),
        ("options: {x: {type: integer}}", r#"invalid config: option "x" has unknown type "integer""#),
        ("options: {x: {type: bool}}", r#"invalid config: option "x" has unknown type "bool""#),
        ("options: {x: {type: str}}", r#"invalid config: option "x" has unknown type "str""#),
        ("options: {x: {type: list}}", r#"invalid config: option "x" has unknown type "list""#),
        (
            "options: {x: {type: int, default: abc}}",
            r#"invalid config default: option "x" expected int, got "abc""#,
        ),
        (
            "options: {x: {type: boolean, default: 'true'}}",
            r#"invalid config default: option "x" expected boolean, got "true""#,
        ),
        (
            "options: {x: {type: secret, default: hunter2}}",
            r#"invalid config default: option "x" expected secret, got "hunter2""#,
        ),
        (
            "options: {x: {description: [a]}}",
            "invalid config: options.x.description: expected string, got list",
        ),
        ("options: {x: {}, x: {}}", "config.yaml: line 1, column 18: duplicate mapping key: x"),
    ] {
        assert_eq!(Config::parse(text).unwrap_err().to_string(), error, "{text}");
    }
    let empty_type = Config::parse("options: {x: {type: ''}}").unwrap();
    assert_eq!(empty_type.options["x"].option_type, OptionType::String);
}

#[test]
fn values_from_the_command_line() {
    let values =
        config().parse_strings([("title", ""), ("skill", "7"), ("fast", "True"), ("key", "")]).unwrap();
    assert_eq!(values["skill"], Some(ConfigValue::Int(7)));
    assert_eq!(values["title"], Some(ConfigValue::String(String::new())));
    for (name, text, error) in [
        ("nope", "1", r#"unknown option "nope""#),
        ("skill", "x", r#"option "skill" expected int, got "x""#),
        ("fast", "maybe", r#"option "fast" expected boolean, got "maybe""#),
        ("agility", "quick", r#"option "agility" expected float, got "quick""#),
        ("key", "hunter2", r#"option "key" expected secret, got "hunter2""#),
    ] {
        assert_eq!(config().parse_strings([(name, text)]).unwrap_err().to_string(), error);
    }
}

#[test]
fn values_from_a_file() {
    let values = config()
        .parse_yaml("app:\n  title: |\n    a\n    b\n  skill: '7'\n  agility: 3\n  fast: null\n", "app")
        .unwrap();
    assert_eq!(values["title"], Some(ConfigValue::String("a\nb\n".into())));
    assert_eq!(values["skill"], Some(ConfigValue::Int(7)));
    assert_eq!(values["agility"], Some(ConfigValue::Float(3.0)));
    assert_eq!(values["fast"], None);
    let printed = "application: app\ncharm: web\nsettings:\n  skill: {source: user, type: int, value: 9}\n  \
                   title: {source: default, type: string, value: My Title, default: My Title}\n  \
                   outlook: {source: unset, type: string}\n";
    let values = config().parse_yaml(printed, "app").unwrap();
    assert_eq!(values, [("skill".to_owned(), Some(ConfigValue::Int(9)))].into());
    assert!(config().parse_yaml("app:\n", "app").unwrap().is_empty());
    for (text, error) in [
        ("other: {}", r#"no settings found for "app""#),
        ("", r#"no settings found for "app""#),
        ("app: 7", r#"cannot parse settings data: settings of "app" are not a map"#),
        ("app: {title: 7}", r#"option "title" expected string, got 7"#),
        ("app: {nope: 7}", r#"unknown option "nope""#),
        (
            "app: [s3cret",
            "cannot parse settings data: line 1, column 6: not valid, or not of the expected kind",
        ),
    ] {
        assert_eq!(config().parse_yaml(text, "app").unwrap_err().to_string(), error);
    }
}

#[test]
fn stored_settings() {
    let settings = Settings(
        [
            ("skill".to_owned(), json!(9)),
            ("title".to_owned(), json!(5)),
            ("gone".to_owned(), json!("x")),
            ("fast".to_owned(), json!(null)),
        ]
        .into(),
    );
    assert_eq!(config().validate(&settings).unwrap_err(), ConfigError::Unknown("gone".into()));
    let kept = config().filter(&settings);
    assert_eq!(kept.0.keys().collect::<Vec<_>>(), ["fast", "skill"]);
    let values = config().validate(&kept).unwrap();
    assert_eq!((&values["skill"], &values["fast"]), (&Some(ConfigValue::Int(9)), &None));
    let effective = config().effective(&kept);
    assert_eq!(effective["skill"], ConfigValue::Int(9));
    assert_eq!(effective["title"], ConfigValue::String("My Title".into()));
    assert!(!effective.contains_key("fast"));
}
