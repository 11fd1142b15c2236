//! The series of old charms, and which bases this version of Juju supports.

use super::{Base, BaseChannel, BaseError};

/// What a new application gets when nothing says otherwise and its charm can.
pub const DEFAULT: &str = "ubuntu@24.04";

/// Ubuntu's series by its version.
const UBUNTU: &[(&str, &str)] = &[
    ("precise", "12.04"),
    ("quantal", "12.10"),
    ("raring", "13.04"),
    ("saucy", "13.10"),
    ("trusty", "14.04"),
    ("utopic", "14.10"),
    ("vivid", "15.04"),
    ("wily", "15.10"),
    ("xenial", "16.04"),
    ("yakkety", "16.10"),
    ("zesty", "17.04"),
    ("artful", "17.10"),
    ("bionic", "18.04"),
    ("cosmic", "18.10"),
    ("disco", "19.04"),
    ("eoan", "19.10"),
    ("focal", "20.04"),
    ("groovy", "20.10"),
    ("hirsute", "21.04"),
    ("impish", "21.10"),
    ("jammy", "22.04"),
    ("kinetic", "22.10"),
    ("lunar", "23.04"),
    ("mantic", "23.10"),
    ("noble", "24.04"),
    ("oracular", "24.10"),
    ("plucky", "25.04"),
    ("questing", "25.10"),
    ("resolute", "26.04"),
];

/// What this version of Juju starts new machines with.
const SUPPORTED_UBUNTU: &[&str] = &["20.04", "22.04", "24.04", "26.04"];

/// The base that a series names.
pub fn base_of_series(series: &str) -> Result<Base, BaseError> {
    if let Some((_, version)) = UBUNTU.iter().find(|(name, _)| *name == series) {
        return Ok(Base::ubuntu(version));
    }
    let (os, track) = match series {
        "genericlinux" | "kubernetes" => (series, series),
        "centos7" | "centos8" | "centos9" => series.split_at("centos".len()),
        _ => return Err(BaseError::Series(series.to_owned())),
    };
    Ok(Base { os: os.to_owned(), channel: BaseChannel::stable(track) })
}

pub(super) fn series_of_base(base: &Base) -> Option<String> {
    let track = base.channel.track.as_str();
    match base.os.as_str() {
        "ubuntu" => UBUNTU.iter().find(|(_, version)| *version == track).map(|(name, _)| (*name).to_owned()),
        "centos" => Some(format!("centos{track}")).filter(|it| base_of_series(it).is_ok()),
        "genericlinux" | "kubernetes" => Some(base.os.clone()),
        _ => None,
    }
}

/// The bases of workloads that this version of Juju supports, the oldest first.
pub fn supported() -> Vec<Base> {
    let other = ["centos7", "centos9", "genericlinux"].iter().filter_map(|it| base_of_series(it).ok());
    SUPPORTED_UBUNTU.iter().map(|it| Base::ubuntu(it)).chain(other).collect()
}

pub fn is_supported(base: &Base) -> bool {
    supported().iter().any(|it| it.is_compatible(base))
}

/// Whether it is a long-term release of Ubuntu that this version of Juju supports.
pub fn is_lts(base: &Base) -> bool {
    base.os == "ubuntu" && SUPPORTED_UBUNTU.contains(&base.channel.track.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_and_bases_name_each_other() {
        let other = ["centos7", "centos9", "genericlinux", "kubernetes"];
        for series in UBUNTU.iter().map(|it| it.0).chain(other) {
            let base = base_of_series(series).unwrap();
            assert_eq!(base.series().as_deref(), Some(series));
        }
        assert_eq!(base_of_series("jammy").unwrap().display(), "ubuntu@22.04");
        assert_eq!(base_of_series("centos9").unwrap().display(), "centos@9");
        assert_eq!(base_of_series("win2012").unwrap_err().to_string(), r#"unknown series "win2012""#);
        assert_eq!(Base::ubuntu("99.04").series(), None);
    }

    #[test]
    fn what_is_supported() {
        for (text, expected, lts) in [
            (DEFAULT, true, true),
            ("ubuntu@20.04", true, true),
            ("ubuntu@22.04/edge", true, true),
            ("ubuntu@18.04", false, false),
            ("ubuntu@23.10", false, false),
            ("centos@9", true, false),
            ("ubuntu@99.04", false, false),
        ] {
            let base: Base = text.parse().unwrap();
            assert_eq!((is_supported(&base), is_lts(&base)), (expected, lts), "{text}");
        }
    }
}
