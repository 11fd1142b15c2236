//! Constraints: reading, writing, merging.

use proptest::prelude::*;

use super::*;

fn parsed(text: &str) -> Constraints {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn what_people_write() {
    for (text, written) in [
        ("", ""),
        ("  ", ""),
        ("mem=1.5G", "mem=1536M"),
        ("mem=0.1M", "mem=1M"),
        ("mem=", "mem="),
        ("mem=0", "mem="),
        ("mem=2T root-disk=1P", "mem=2097152M root-disk=1073741824M"),
        ("mem=512", "mem=512M"),
        ("cpu-cores=2", "cores=2"),
        ("cores=", "cores="),
        ("spaces=a,^b", "spaces=a,^b"),
        ("zones=", "zones="),
        ("tags=", "tags="),
        ("allocate-public-ip=T", "allocate-public-ip=true"),
        ("allocate-public-ip=", ""),
        ("arch=arm64  mem=4G\tcores=8", "arch=arm64 cores=8 mem=4096M"),
        ("container=none", "container=none"),
        ("container=", "container="),
        ("instance-type=m5=large", "instance-type=m5=large"),
        (r"zones=us\ east,b root-disk-source=a\ b", r"root-disk-source=a\ b zones=us\ east,b"),
        (
            "image-id=ubuntu-bf2 virt-type=virtual-machine cpu-power=100 instance-role=auto",
            "cpu-power=100 instance-role=auto virt-type=virtual-machine image-id=ubuntu-bf2",
        ),
    ] {
        let constraints = parsed(text);
        assert_eq!(constraints.to_string(), written, "{text}");
        assert_eq!(parsed(written), constraints);
    }
    assert_eq!(parsed("zones=").zones, Some(vec![]));
    let spaces = parsed("spaces=a,^b,c");
    assert_eq!((spaces.included_spaces(), spaces.excluded_spaces()), (vec!["a", "c"], vec!["b"]));
}

#[test]
fn what_is_refused() {
    let size = r#"constraint: must be a non-negative float with optional M/G/T/P suffix"#;
    for (text, error) in [
        ("mem", r#"malformed constraint "mem""#.to_owned()),
        ("=1", r#"malformed constraint "=1""#.to_owned()),
        ("mem=-1", format!(r#"bad "mem" {size}"#)),
        ("mem=-0", format!(r#"bad "mem" {size}"#)),
        ("mem=4X", format!(r#"bad "mem" {size}"#)),
        ("mem=G", format!(r#"bad "mem" {size}"#)),
        ("mem=inf", format!(r#"bad "mem" {size}"#)),
        ("mem=nan", format!(r#"bad "mem" {size}"#)),
        ("mem=ü", format!(r#"bad "mem" {size}"#)),
        ("root-disk=1e300P", format!(r#"bad "root-disk" {size}"#)),
        ("cores=2 cores=3", r#"bad "cores" constraint: already set"#.to_owned()),
        ("cpu-cores=2 cores=2", r#"bad "cores" constraint: already set"#.to_owned()),
        ("cores=two", r#"bad "cores" constraint: must be a non-negative integer"#.to_owned()),
        ("cores=+2", r#"bad "cores" constraint: must be a non-negative integer"#.to_owned()),
        ("foo=1", r#"unknown constraint "foo""#.to_owned()),
        ("spaces=A!", r#"bad "spaces" constraint: "A!" is not a valid space name"#.to_owned()),
        ("spaces=a,", r#"bad "spaces" constraint: "" is not a valid space name"#.to_owned()),
        (
            "allocate-public-ip=maybe",
            r#"bad "allocate-public-ip" constraint: must be 'true' or 'false'"#.to_owned(),
        ),
        ("arch=pdp11", r#"bad "arch" constraint: "pdp11" not recognized"#.to_owned()),
        ("container=docker", r#"bad "container" constraint: invalid container type "docker""#.to_owned()),
    ] {
        assert_eq!(text.parse::<Constraints>().unwrap_err().to_string(), error);
    }
}

fn lxd() -> ConstraintRules {
    ConstraintRules {
        unsupported: &["cpu-power", "tags"],
        conflicts: &[(&["instance-type"], &["mem", "cores", "cpu-power"])],
        vocabulary: [("arch", vec!["amd64".to_owned(), "arm64".to_owned()])].into(),
    }
}

#[test]
fn merging() {
    for (fallback, specific, merged) in [
        ("", "", ""),
        ("mem=4G cores=2", "mem=8G", "cores=2 mem=8192M"),
        ("mem=4G", "mem=", "mem="),
        ("mem=4G cores=2 arch=amd64", "instance-type=big", "arch=amd64 instance-type=big"),
        ("instance-type=big arch=arm64", "cores=2", "arch=arm64 cores=2"),
        ("zones=a,b", "zones=", "zones="),
        ("spaces=a", "tags=x", "tags=x spaces=a"),
    ] {
        assert_eq!(
            lxd().merge(&parsed(fallback), &parsed(specific)).unwrap(),
            parsed(merged),
            "{fallback} + {specific}"
        );
    }
}

#[test]
fn validating() {
    assert_eq!(lxd().validate(&parsed("cpu-power=1 mem=1G tags=a")), Ok(vec!["cpu-power", "tags"]));
    let error = |text: &str| lxd().validate(&parsed(text)).unwrap_err().to_string();
    assert_eq!(
        error("mem=1G instance-type=x"),
        r#"ambiguous constraints: "instance-type" overlaps with "mem""#
    );
    assert_eq!(error("arch=s390x"), "invalid constraint value: arch=s390x\nvalid values are: amd64 arm64");
    assert!(lxd().validate(&parsed("arch=")).is_ok());
    assert!(lxd().merge(&parsed("arch=s390x"), &parsed("")).is_err());
}

#[test]
fn documents_hold_what_is_set() {
    let constraints = parsed("arch=amd64 mem=2G spaces= allocate-public-ip=false");
    let json = serde_json::to_value(&constraints).unwrap();
    assert_eq!(
        json,
        serde_json::json!({"arch": "amd64", "mem": 2048, "spaces": [], "allocate-public-ip": false})
    );
    assert_eq!(serde_json::from_value::<Constraints>(json).unwrap(), constraints);
    assert!(parsed("").is_empty() && !parsed("mem=").is_empty());
}

proptest! {
    #[test]
    fn written_and_read_again(
        cores in proptest::option::of(0u64..1000),
        mem in proptest::option::of(0u64..1 << 40),
        kind in proptest::option::of("[a-z0-9. =]{0,8}[a-z]"),
        zones in proptest::option::of(proptest::collection::vec("[a-z]{1,4}( [a-z]{1,4})?", 0..3)),
        public: Option<bool>,
    ) {
        let instance_type = kind.map(|it| it.trim().to_owned());
        let one = Constraints { cores, mem, instance_type, zones, allocate_public_ip: public, ..Default::default() };
        prop_assert_eq!(one.to_string().parse(), Ok(one));
    }

    #[test]
    fn anything_is_read_or_refused(text in "\\PC{0,40}") {
        let _ = text.parse::<Constraints>();
    }
}
