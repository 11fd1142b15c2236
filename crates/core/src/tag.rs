//! Tags: any entity as the wire names it, `<kind>-<id>` with the id's separators rewritten.

use std::{fmt, str::FromStr};

use crate::ids::*;

/// A text that is no tag, or a tag of another kind than asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TagError {
    #[error("{0:?} is not a valid tag")]
    Any(String),
    #[error("{text:?} is not a valid {kind} tag")]
    Kind { text: String, kind: TagKind },
}

/// An id that has a tag of a kind of its own.
pub trait TagId: Sized + Into<Tag> {
    const KIND: TagKind;

    /// The id in a tag, if it is of this kind.
    fn of(tag: &Tag) -> Option<&Self>;

    /// Reads a tag of this kind alone.
    fn from_tag(text: &str) -> Result<Self, TagError>;

    fn into_tag(self) -> Tag {
        self.into()
    }
}

/// Declares the kinds: variant, type of its id, the tag's first word, id to suffix and back.
macro_rules! tags {
    ($($variant:ident($id:ident) $kind:literal, $to:expr, $from:expr;)*) => {
        /// Any entity, by its kind and id.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Tag {
            $($variant($id),)*
            /// The agent of one controller of a Kubernetes cloud: the same kind as the controller's, told apart by its
            /// number.
            ControllerAgent(u32),
        }

        /// What a tag names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum TagKind {
            $($variant,)*
        }

        impl TagKind {
            pub const ALL: &'static [TagKind] = &[$(TagKind::$variant,)*];

            pub const fn as_str(self) -> &'static str {
                match self {
                    $(TagKind::$variant => $kind,)*
                }
            }
        }

        impl Tag {
            pub fn kind(&self) -> TagKind {
                match self {
                    $(Tag::$variant(_) => TagKind::$variant,)*
                    Tag::ControllerAgent(_) => TagKind::Controller,
                }
            }

            /// The id alone: `db/0` of `unit-db-0`.
            pub fn id(&self) -> String {
                match self {
                    $(Tag::$variant(id) => id.to_string(),)*
                    Tag::ControllerAgent(id) => id.to_string(),
                }
            }

            fn suffix(&self) -> String {
                match self {
                    $(Tag::$variant(id) => {
                        let to: fn(&$id) -> String = $to;
                        to(id)
                    })*
                    Tag::ControllerAgent(id) => id.to_string(),
                }
            }

            fn from_suffix(kind: TagKind, suffix: &str) -> Option<Self> {
                match kind {
                    $(TagKind::$variant => {
                        let from: fn(&str) -> Option<$id> = $from;
                        from(suffix).map(Tag::$variant)
                    })*
                }
            }
        }

        $(
            impl From<$id> for Tag {
                fn from(id: $id) -> Self {
                    Tag::$variant(id)
                }
            }

            impl From<&$id> for Tag {
                fn from(id: &$id) -> Self {
                    Tag::$variant(id.clone())
                }
            }

            impl TryFrom<Tag> for $id {
                type Error = TagError;
                fn try_from(tag: Tag) -> Result<Self, TagError> {
                    match tag {
                        Tag::$variant(id) => Ok(id),
                        other => Err(TagError::Kind { text: other.to_string(), kind: TagKind::$variant }),
                    }
                }
            }

            impl TagId for $id {
                const KIND: TagKind = TagKind::$variant;

                fn of(tag: &Tag) -> Option<&Self> {
                    if let Tag::$variant(id) = tag { Some(id) } else { None }
                }

                fn from_tag(text: &str) -> Result<Self, TagError> {
                    match text.parse::<Tag>() {
                        Ok(Tag::$variant(id)) => Ok(id),
                        _ => Err(TagError::Kind { text: text.to_owned(), kind: TagKind::$variant }),
                    }
                }
            }
        )*
    };
}

tags! {
    Controller(ControllerUuid) "controller", as_it_is, the_same;
    Model(ModelUuid) "model", as_it_is, the_same;
    User(UserName) "user", as_it_is, the_same;
    Cloud(CloudName) "cloud", as_it_is, the_same;
    Credential(CredentialId) "cloudcred", CredentialId::tag_suffix, CredentialId::from_tag_suffix;
    Machine(MachineId) "machine", dashed, |it| it.replace('-', "/").parse().ok();
    Application(ApplicationName) "application", as_it_is, the_same;
    Unit(UnitName) "unit", dashed, last_dash_is_slash;
    Relation(RelationKey) "relation", RelationKey::tag_suffix, RelationKey::from_tag_suffix;
    Storage(StorageId) "storage", dashed, last_dash_is_slash;
    Volume(VolumeId) "volume", VolumeId::tag_suffix, VolumeId::from_tag_suffix;
    Filesystem(FilesystemId) "filesystem", FilesystemId::tag_suffix, FilesystemId::from_tag_suffix;
    Space(SpaceName) "space", as_it_is, the_same;
    Subnet(SubnetId) "subnet", as_it_is, the_same;
    Operation(OperationId) "operation", as_it_is, the_same;
    Action(ActionId) "action", as_it_is, the_same;
    Offer(OfferUuid) "applicationoffer", as_it_is, the_same;
    Secret(SecretId) "secret", |it| it.id().to_owned(), |it| SecretId::from_bare(it).ok();
    Charm(CharmUrl) "charm", as_it_is, the_same;
}

impl Tag {
    /// Whether what it names logs in as an agent with a password of its own.
    pub fn is_agent(&self) -> bool {
        matches!(self, Tag::Machine(_) | Tag::Unit(_) | Tag::Application(_) | Tag::ControllerAgent(_))
    }
}

impl FromStr for Tag {
    type Err = TagError;
    fn from_str(text: &str) -> Result<Self, TagError> {
        let parts = text.split_once('-');
        let found = parts
            .and_then(|(kind, suffix)| Some((*TagKind::ALL.iter().find(|it| it.as_str() == kind)?, suffix)));
        let Some((kind, suffix)) = found else { return Err(TagError::Any(text.to_owned())) };
        if kind == TagKind::Controller
            && let Some(number) = pattern_number(suffix)
        {
            return Ok(Tag::ControllerAgent(number));
        }
        Tag::from_suffix(kind, suffix).ok_or_else(|| TagError::Kind { text: text.to_owned(), kind })
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.kind(), self.suffix())
    }
}

impl fmt::Display for TagKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

crate::ids::text_serde!(Tag);

fn as_it_is(id: &impl fmt::Display) -> String {
    id.to_string()
}

fn the_same<T: FromStr>(suffix: &str) -> Option<T> {
    suffix.parse().ok()
}

fn dashed(id: &impl fmt::Display) -> String {
    id.to_string().replace('/', "-")
}

fn last_dash_is_slash<T: FromStr>(suffix: &str) -> Option<T> {
    let (name, number) = suffix.rsplit_once('-')?;
    format!("{name}/{number}").parse().ok()
}

fn pattern_number(suffix: &str) -> Option<u32> {
    suffix.parse::<OperationId>().ok()?.as_str().parse().ok()
}

#[cfg(test)]
mod tests;
