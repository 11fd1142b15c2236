//! Units.

use std::{fmt, str::FromStr};

use super::{ApplicationName, IdError, pattern};

/// One unit of an application: `db/0`. Units order by application, then by number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitName {
    app: ApplicationName,
    number: u32,
}

impl UnitName {
    pub fn new(app: ApplicationName, number: u32) -> Self {
        UnitName { app, number }
    }

    pub fn app(&self) -> &ApplicationName {
        &self.app
    }

    pub fn number(&self) -> u32 {
        self.number
    }
}

impl FromStr for UnitName {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        let parts = text.split_once('/');
        parts
            .and_then(|(app, number)| {
                Some(UnitName { app: app.parse().ok()?, number: pattern::number(number)? })
            })
            .ok_or_else(|| IdError::new("unit name", text))
    }
}

impl fmt::Display for UnitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.app, self.number)
    }
}

super::text_serde!(UnitName);
