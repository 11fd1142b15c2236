//! Talking to a controller: logging in, calling, uploading, following logs.

mod error;
mod models;
pub mod session;
pub mod upload;

pub use error::{call, item, items, only};
pub use models::refresh_models;
pub use session::{Open, Session};
