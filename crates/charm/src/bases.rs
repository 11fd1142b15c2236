//! Which base a new application gets (Juju 3.6 `core/charm`).

use juju_core::{Base, base};

/// Why no base can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaseSelectionError {
    #[error("base {:?} is not supported, supported bases are: {}", wanted.display(), shown(supported))]
    NotSupported { wanted: Base, supported: Vec<Base> },
    #[error("{charm} is not available on the following base: {wanted}")]
    Unknown { charm: String, wanted: Base },
    #[error("the charm defined bases {} not supported", quoted(.0))]
    NoneSupported(Vec<Base>),
    #[error("charm does not define any bases")]
    NoBases,
    #[error("base must be explicitly provided when image-id constraint is used")]
    ImageNeedsBase,
}

/// What there is to choose by.
#[derive(Clone, Debug, Default)]
pub struct BaseSelector<'a> {
    /// What the charm is called, for errors.
    pub charm: &'a str,
    /// The bases that the charm has.
    pub of_charm: &'a [Base],
    /// What the user asked for.
    pub requested: Option<Base>,
    /// What the model's configuration says.
    pub default_base: Option<Base>,
    /// Whether the constraints name an image.
    pub has_image_id: bool,
    /// Take what was asked for, whatever the charm says.
    pub force: bool,
}

impl BaseSelector<'_> {
    /// What was asked for, else the model's default, else the newest that Juju favours, else the charm's first that
    /// Juju supports.
    pub fn choose(&self) -> Result<Base, BaseSelectionError> {
        if let Some(wanted) = self.requested.as_ref().or(self.default_base.as_ref()) {
            return self.explicit(wanted);
        }
        if self.has_image_id {
            return Err(BaseSelectionError::ImageNeedsBase);
        }
        if self.of_charm.is_empty() {
            return Err(BaseSelectionError::NoBases);
        }
        let favoured: Base = base::DEFAULT.parse().expect("the default is a base");
        if let Some(found) = self.of_charm.iter().find(|it| it.is_compatible(&favoured)) {
            return Ok(found.clone());
        }
        let first = self.of_charm.iter().find(|it| base::is_supported(it));
        first.cloned().ok_or_else(|| BaseSelectionError::NoneSupported(self.of_charm.to_vec()))
    }

    fn explicit(&self, wanted: &Base) -> Result<Base, BaseSelectionError> {
        if !base::is_supported(wanted) && !self.force {
            return Err(BaseSelectionError::Unknown { charm: self.charm.to_owned(), wanted: wanted.clone() });
        }
        if !self.force && !self.of_charm.iter().any(|it| it.is_compatible(wanted)) {
            let supported = self.of_charm.to_vec();
            return Err(BaseSelectionError::NotSupported { wanted: wanted.clone(), supported });
        }
        Ok(wanted.clone())
    }
}

fn shown(bases: &[Base]) -> String {
    bases.iter().map(Base::display).collect::<Vec<_>>().join(", ")
}

fn quoted(bases: &[Base]) -> String {
    bases.iter().map(|it| format!("{:?}", it.display())).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices() {
        for (of_charm, requested, default, force, expected) in [
            (&["ubuntu@22.04", "ubuntu@24.04"][..], None, None, false, Ok("ubuntu@24.04")),
            (&["ubuntu@22.04", "ubuntu@20.04"], None, None, false, Ok("ubuntu@22.04")),
            (&["ubuntu@14.04", "ubuntu@20.04"], None, None, false, Ok("ubuntu@20.04")),
            (&["ubuntu@22.04", "ubuntu@24.04"], Some("ubuntu@22.04"), None, false, Ok("ubuntu@22.04")),
            (&["ubuntu@22.04", "ubuntu@24.04"], None, Some("ubuntu@22.04"), false, Ok("ubuntu@22.04")),
            (&["ubuntu@22.04"], Some("ubuntu@24.04"), None, true, Ok("ubuntu@24.04")),
            (
                &["ubuntu@22.04"],
                Some("ubuntu@20.04"),
                None,
                false,
                Err(r#"base "ubuntu@20.04" is not supported, supported bases are: ubuntu@22.04"#),
            ),
            (
                &["ubuntu@22.04"],
                Some("ubuntu@99.04"),
                None,
                false,
                Err("web is not available on the following base: ubuntu@99.04/stable"),
            ),
            (
                &["ubuntu@14.04"],
                None,
                None,
                false,
                Err(r#"the charm defined bases "ubuntu@14.04" not supported"#),
            ),
            (&[], None, None, false, Err("charm does not define any bases")),
        ] {
            let parse = |it: &str| it.parse::<Base>().unwrap();
            let of_charm: Vec<_> = of_charm.iter().map(|it| parse(it)).collect();
            let selector = BaseSelector {
                charm: "web",
                of_charm: &of_charm,
                requested: requested.map(parse),
                default_base: default.map(parse),
                force,
                ..Default::default()
            };
            let chosen = selector.choose().map(|it| it.display()).map_err(|it| it.to_string());
            assert_eq!(chosen, expected.map(str::to_owned).map_err(str::to_owned));
        }
        let with_image = BaseSelector { has_image_id: true, ..Default::default() };
        assert_eq!(with_image.choose(), Err(BaseSelectionError::ImageNeedsBase));
    }
}
