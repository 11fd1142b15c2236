//! Names that carry the type of what is published under them.

use std::{fmt, marker::PhantomData};

/// What a manifold is called, in its engine and in reports.
pub type Name = &'static str;

/// Names a manifold and fixes the type that its worker publishes, so that a wrong input does not compile.
///
/// Keys are constants: `const AGENT: Key<Agent> = Key::new("agent");`. Dependents receive clones of the
/// published value, so anything large or shared belongs behind an `Arc`.
pub struct Key<T> {
    name: Name,
    _type: PhantomData<fn() -> T>,
}

impl<T> Key<T> {
    pub const fn new(name: Name) -> Self {
        Key { name, _type: PhantomData }
    }

    pub const fn name(&self) -> Name {
        self.name
    }

    /// The same input, for a worker that can do without it: it gets an `Option`, and is restarted when the
    /// value comes, changes or goes.
    pub const fn optional(self) -> Optional<T> {
        Optional(self)
    }
}

/// An input that the worker can do without. See [`Key::optional`].
pub struct Optional<T>(pub(crate) Key<T>);

// Derives would ask the same of T.
impl<T> Clone for Key<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Key<T> {}
impl<T> Clone for Optional<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Optional<T> {}

impl<T> fmt::Debug for Key<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({:?}: {})", self.name, std::any::type_name::<T>())
    }
}
impl<T> fmt::Debug for Optional<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Optional({:?}: {})", self.0.name, std::any::type_name::<T>())
    }
}
