//! How results look: formats, tables, colours, times. Pure: values in, text out.

pub mod color;
pub mod format;
pub mod json;
pub mod natural;
pub mod table;
pub mod time;
pub mod yaml;

pub use color::Tone;
pub use format::Format;
pub use table::{Cell, Table};
