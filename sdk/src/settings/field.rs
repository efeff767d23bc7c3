//! The types that a setting can have.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

/// The least and the greatest value that a setting takes.
pub type Bounds<T> = RangeInclusive<T>;

/// A type that a setting can have.
pub trait Field: Sized {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// Words to follow the setting's name.
    fn read(value: &Value) -> Result<Self, String>;

    /// Its JSON Schema.
    fn schema() -> Value;

    /// Writes it.
    fn write(&self) -> Value;

    /// Holds it to bounds.
    ///
    /// # Errors
    ///
    /// Words to follow the setting's name.
    fn hold(&self, _bounds: &Bounds<Self>) -> Result<(), String> {
        Ok(())
    }
}

macro_rules! number {
    ($($Number:ty, $read:ident, $name:literal, $article:literal;)+) => {$(
        impl Field for $Number {
            fn read(value: &Value) -> Result<Self, String> {
                let number = value.$read().and_then(|number| <$Number>::try_from(number).ok());
                number.ok_or_else(|| format!("is {value}; it must be {} {}", $article, $name))
            }

            fn schema() -> Value {
                json!({ "type": $name })
            }

            fn write(&self) -> Value {
                json!(self)
            }

            fn hold(&self, bounds: &Bounds<Self>) -> Result<(), String> {
                if bounds.contains(self) {
                    return Ok(());
                }
                let (least, most) = (bounds.start(), bounds.end());
                Err(format!("is {self}; it must be at least {least} and at most {most}"))
            }
        }
    )+};
}

number! {
    u32, as_u64, "integer", "an";
    u64, as_u64, "integer", "an";
    f64, as_f64, "number", "a";
}

impl Field for bool {
    fn read(value: &Value) -> Result<Self, String> {
        value.as_bool().ok_or_else(|| format!("is {value}; it must be true or false"))
    }

    fn schema() -> Value {
        json!({ "type": "boolean" })
    }

    fn write(&self) -> Value {
        json!(self)
    }
}

impl Field for String {
    fn read(value: &Value) -> Result<Self, String> {
        value.as_str().map(Self::from).ok_or_else(|| format!("is {value}; it must be a string"))
    }

    fn schema() -> Value {
        json!({ "type": "string" })
    }

    fn write(&self) -> Value {
        json!(self)
    }
}

impl<T: Field> Field for Vec<T> {
    fn read(value: &Value) -> Result<Self, String> {
        let Some(list) = value.as_array() else {
            return Err(format!("is {value}; it must be a list"));
        };
        let entry = |(at, value)| T::read(value).map_err(|why| format!("entry {at}: {why}"));
        list.iter().enumerate().map(entry).collect()
    }

    fn schema() -> Value {
        json!({ "type": "array", "items": T::schema() })
    }

    fn write(&self) -> Value {
        self.iter().map(T::write).collect()
    }
}
