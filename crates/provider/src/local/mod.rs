pub mod dirs;
pub mod supervisor;
