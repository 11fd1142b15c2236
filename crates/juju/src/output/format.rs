//! The names behind `--format`.

/// A way to write a result. Each command takes some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Tabular,
    Json,
    Yaml,
    /// Strings bare, anything else as YAML.
    Smart,
    /// A line a unit; `short` and `line` are the same.
    Oneline,
    Summary,
}

impl Format {
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "tabular" => Self::Tabular,
            "json" => Self::Json,
            "yaml" => Self::Yaml,
            "smart" => Self::Smart,
            "oneline" | "short" | "line" => Self::Oneline,
            "summary" => Self::Summary,
            _ => return None,
        })
    }

    /// Whether programs read it, so that a failure still has to print something they can read.
    pub fn is_data(self) -> bool {
        matches!(self, Self::Json | Self::Yaml)
    }
}
