//! Settings: a JSON object whose every key has a default, bounds and words.
//!
//! [`settings!`](crate::settings!) declares them once; default, bounds, checks and JSON Schema all come
//! from that one place.
//!
//! ```
//! use weir_sdk::settings::Settings as _;
//!
//! weir_sdk::settings! {
//!     /// What can be set.
//!     pub struct Settings {
//!         /// What a refusal multiplies the limit by.
//!         factor: f64 = 0.75, in 0.1..=0.99;
//!         /// Whether to say every change.
//!         chatty: bool = false;
//!     }
//! }
//!
//! assert_eq!(Settings::read("").unwrap().factor, 0.75);
//! assert_eq!(Settings::read(r#"{"factor": 0.5}"#).unwrap().factor, 0.5);
//! assert_eq!(
//!     Settings::read(r#"{"facter": 0.5}"#).unwrap_err(),
//!     "unknown setting `facter`; did you mean `factor`? The settings are: factor, chatty",
//! );
//! assert_eq!(
//!     Settings::read(r#"{"factor": 1.5}"#).unwrap_err(),
//!     "setting `factor` is 1.5; it must be at least 0.1 and at most 0.99",
//! );
//! assert!(Settings::schema().contains(r#""maximum":0.99"#));
//! ```

use serde_json::{Map, Value, json};

mod field;

pub use field::{Bounds, Field};

/// What a policy can be told at its start.
pub trait Settings: Default {
    /// Reads a JSON object; empty text stands for the defaults.
    ///
    /// # Errors
    ///
    /// Words that say what is wrong, where, and how to mend it.
    fn read(text: &str) -> Result<Self, String>;

    /// A JSON Schema of what [`read`](Settings::read) takes; empty when it takes nothing.
    fn schema() -> String;
}

impl Settings for () {
    fn read(text: &str) -> Result<Self, String> {
        match object(text)?.keys().next() {
            Some(key) => Err(format!("unknown setting `{key}`; this policy has no settings")),
            None => Ok(()),
        }
    }

    fn schema() -> String {
        String::new()
    }
}

/// A JSON object from text; an empty one from empty text.
///
/// # Errors
///
/// Words, when the text is something else.
pub fn object(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err("settings must be a JSON object, such as {\"key\": 1}".to_owned()),
        Err(error) => Err(format!("settings are not JSON: {error}")),
    }
}

/// Refuses a key that is not known, naming the nearest one that is.
///
/// # Errors
///
/// Words about the first such key.
pub fn refuse_unknown(map: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    let Some(key) = map.keys().find(|key| !known.contains(&key.as_str())) else {
        return Ok(());
    };
    let nearest = known.iter().min_by_key(|name| strsim::damerau_levenshtein(key, name));
    let hint = nearest
        .filter(|name| strsim::damerau_levenshtein(key, name) <= 1 + name.len() / 3)
        .map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    let stop = if hint.is_empty() { "." } else { "" };
    Err(format!("unknown setting `{key}`{hint}{stop} The settings are: {}", known.join(", ")))
}

/// Reads one key, or gives its default, and holds it to its bounds.
///
/// # Errors
///
/// Words that name the key.
pub fn take<T: Field>(
    map: &Map<String, Value>,
    key: &str,
    default: T,
    bounds: Option<Bounds<T>>,
) -> Result<T, String> {
    let Some(value) = map.get(key) else { return Ok(default) };
    let read = T::read(value).map_err(|why| format!("setting `{key}` {why}"))?;
    if let Some(bounds) = bounds {
        read.hold(&bounds).map_err(|why| format!("setting `{key}` {why}"))?;
    }
    Ok(read)
}

/// The schema of an object with these properties.
#[must_use]
pub fn object_schema(properties: Map<String, Value>) -> Value {
    json!({ "type": "object", "additionalProperties": false, "properties": properties })
}

/// The schema of one key.
#[must_use]
pub fn property<T: Field>(words: &[&str], default: &T, bounds: Option<Bounds<T>>) -> Value {
    let mut schema = T::schema();
    if let Value::Object(map) = &mut schema {
        map.insert("description".to_owned(), words.concat().trim().into());
        map.insert("default".to_owned(), default.write());
        if let Some(bounds) = bounds {
            map.insert("minimum".to_owned(), bounds.start().write());
            map.insert("maximum".to_owned(), bounds.end().write());
        }
    }
    schema
}

/// Declares settings: a struct with public fields, each with a default and, where it is a number, bounds.
///
/// `name: type = default, in low..=high;`. The type is one of `bool`, `u32`, `u64`, `f64`, `String`, another
/// such struct, or a `Vec` of any of them. See the [module](mod@crate::settings).
#[macro_export]
macro_rules! settings {
    ($(#[doc = $about:literal])* $vis:vis struct $Name:ident {
        $($(#[doc = $doc:literal])+ $field:ident : $Type:ty = $default:expr $(, in $bounds:expr)?;)+
    }) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $Name {
            $($(#[doc = $doc])+ pub $field: $Type,)+
        }

        impl ::core::default::Default for $Name {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl $crate::settings::Settings for $Name {
            fn read(text: &str) -> ::core::result::Result<Self, ::std::string::String> {
                $crate::settings::object(text).and_then(|map| {
                    <Self as $crate::settings::Field>::read(&map.into())
                })
            }

            fn schema() -> ::std::string::String {
                <Self as $crate::settings::Field>::schema().to_string()
            }
        }

        impl $crate::settings::Field for $Name {
            fn read(
                value: &$crate::serde_json::Value,
            ) -> ::core::result::Result<Self, ::std::string::String> {
                let Some(map) = value.as_object() else {
                    return Err(::std::format!("is {value}; it must be an object"));
                };
                $crate::settings::refuse_unknown(map, &[$(stringify!($field)),+])?;
                let standard = Self::default();
                Ok(Self {
                    $($field: $crate::settings::take(
                        map,
                        stringify!($field),
                        standard.$field,
                        $crate::settings!(@bounds $($bounds)?),
                    )?,)+
                })
            }

            fn schema() -> $crate::serde_json::Value {
                let standard = Self::default();
                let mut properties = $crate::serde_json::Map::new();
                $(properties.insert(
                    stringify!($field).to_owned(),
                    $crate::settings::property::<$Type>(
                        &[$($doc),+],
                        &standard.$field,
                        $crate::settings!(@bounds $($bounds)?),
                    ),
                );)+
                $crate::settings::object_schema(properties)
            }

            fn write(&self) -> $crate::serde_json::Value {
                let mut map = $crate::serde_json::Map::new();
                $(map.insert(
                    stringify!($field).to_owned(),
                    $crate::settings::Field::write(&self.$field),
                );)+
                map.into()
            }
        }
    };
    (@bounds) => { ::core::option::Option::None };
    (@bounds $bounds:expr) => { ::core::option::Option::Some($bounds) };
}
