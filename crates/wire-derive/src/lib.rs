//! `#[derive(Wire)]`: encoding, decoding and schema of a wire struct, from one list of its fields.
//!
//! A field's key is its name with dashes (`auth_tag` travels as `auth-tag`; a trailing underscore, which keeps
//! Rust keywords apart, is dropped) unless `#[wire("Key")]` names another. `#[wire(omit)]` leaves the key out when
//! the value is empty, as Go's `omitempty` does. The generated code is a table and three short functions; what the
//! table means is written once, in `juju_wire::codec`.

use proc_macro::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Fields, LitStr, parse_macro_input};

#[proc_macro_derive(Wire, attributes(wire))]
pub fn derive(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(|err| err.to_compile_error()).into()
}

struct Field {
    ident: syn::Ident,
    ty: syn::Type,
    key: String,
    omit: bool,
}

fn expand(input: &DeriveInput) -> syn::Result<proc_macro2::TokenStream> {
    let name = &input.ident;
    let text = name.to_string();
    let Data::Struct(data) = &input.data else {
        return Err(syn::Error::new_spanned(name, "only structs travel on the wire"));
    };
    let fields = match &data.fields {
        Fields::Named(named) => named.named.iter().map(field).collect::<syn::Result<Vec<_>>>()?,
        Fields::Unit => vec![],
        Fields::Unnamed(_) => return Err(syn::Error::new_spanned(name, "wire fields have names")),
    };
    let idents: Vec<_> = fields.iter().map(|it| &it.ident).collect();
    let types: Vec<_> = fields.iter().map(|it| &it.ty).collect();
    let keys: Vec<_> = fields.iter().map(|it| &it.key).collect();
    let folded: Vec<_> = fields.iter().map(|it| it.key.to_lowercase()).collect();
    let omits: Vec<_> = fields.iter().map(|it| it.omit).collect();
    Ok(quote! {
        impl ::juju_wire::codec::Object for #name {
            const NAME: &'static str = #text;
            fn set<'de, A: ::serde::de::MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<bool, A::Error> {
                match key {
                    #( #folded => self.#idents = map.next_value::<::juju_wire::codec::De<#types>>()?.0, )*
                    _ => return Ok(false),
                }
                Ok(true)
            }
            fn write<M: ::serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                #( if !#omits || !::juju_wire::codec::Wire::is_empty(&self.#idents) {
                    map.serialize_entry(#keys, &::juju_wire::codec::Ser(&self.#idents))?;
                } )*
                Ok(())
            }
            fn is_empty(&self) -> bool {
                true #( && ::juju_wire::codec::Wire::is_empty(&self.#idents) )*
            }
            fn fields(defs: &mut ::juju_wire::schema::Defs) -> Vec<::juju_wire::schema::Field> {
                vec![ #( ::juju_wire::schema::Field {
                    key: #keys, required: !#omits, schema: <#types as ::juju_wire::codec::Wire>::schema(defs),
                } ),* ]
            }
        }
        impl ::juju_wire::codec::Wire for #name {
            fn decode<'de, D: ::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                ::juju_wire::codec::decode_object(from)
            }
            fn encode<S: ::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                ::juju_wire::codec::encode_object(self, to)
            }
            fn is_empty(&self) -> bool {
                ::juju_wire::codec::Object::is_empty(self)
            }
            fn schema(defs: &mut ::juju_wire::schema::Defs) -> ::serde_json::Value {
                ::juju_wire::schema::object::<Self>(defs)
            }
        }
        impl ::serde::Serialize for #name {
            fn serialize<S: ::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                ::juju_wire::codec::encode_object(self, to)
            }
        }
        impl<'de> ::serde::Deserialize<'de> for #name {
            fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                ::juju_wire::codec::decode_object(from)
            }
        }
    })
}

fn field(field: &syn::Field) -> syn::Result<Field> {
    let ident =
        field.ident.clone().ok_or_else(|| syn::Error::new_spanned(field, "wire fields have names"))?;
    let mut key = ident.to_string().trim_end_matches('_').replace('_', "-");
    let mut omit = false;
    for attr in field.attrs.iter().filter(|it| it.path().is_ident("wire")) {
        attr.parse_args_with(|input: syn::parse::ParseStream<'_>| {
            while !input.is_empty() {
                if input.peek(LitStr) {
                    key = input.parse::<LitStr>()?.value();
                } else {
                    let word: syn::Ident = input.parse()?;
                    if word != "omit" {
                        return Err(syn::Error::new_spanned(word, "expected a key in quotes or `omit`"));
                    }
                    omit = true;
                }
                if !input.is_empty() {
                    input.parse::<syn::Token![,]>()?;
                }
            }
            Ok(())
        })?;
    }
    Ok(Field { ident, ty: field.ty.clone(), key, omit })
}
