//! What `weir.toml` and scenario files have in common.
//!
//! Both are TOML that a person writes, and both must say what is wrong in the same words: the file, the line, the
//! column, the key and how to mend it ([`Complaint`]). A [`Page`] reads a text into a type and finds the places;
//! the types of [`value`] check themselves while they are read; those of [`table`] are the tables that mean the same in
//! both files, with the same defaults.

mod page;
mod place;
pub mod table;
mod text;
pub mod value;
mod words;

pub use self::page::Page;
pub use self::place::{Complaint, Place, lines};
pub use self::text::{MOST_BYTES, read};
pub use self::words::{nearest, reword};
