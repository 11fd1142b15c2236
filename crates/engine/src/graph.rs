//! What is checked of a set of manifolds before anything of it runs.

use std::collections::BTreeMap;

use crate::{key::Name, manifold::Manifold};

/// A set of manifolds that no engine takes. Each is a mistake in the list itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    #[error("{0:?} manifold already installed")]
    Duplicate(Name),
    #[error("{manifold:?} depends on {input:?}, which is not there")]
    Unknown { manifold: Name, input: Name },
    #[error("{manifold:?} wants {input:?} to be a {wanted}, but it is a {found}")]
    Type { manifold: Name, input: Name, wanted: &'static str, found: &'static str },
    /// Each depends on the next, and the last is the first.
    #[error("cycle detected at {:?}: {}", path.first().unwrap_or(&""), path.join(" -> "))]
    Cycle { path: Vec<Name> },
}

/// The manifolds by name, if they make a graph.
pub(crate) fn check<F>(manifolds: Vec<Manifold<F>>) -> Result<BTreeMap<Name, Manifold<F>>, GraphError> {
    let mut graph = BTreeMap::new();
    for manifold in manifolds {
        if let Some(twin) = graph.insert(manifold.name, manifold) {
            return Err(GraphError::Duplicate(twin.name));
        }
    }
    for manifold in graph.values() {
        for need in &manifold.needs {
            let (manifold, input) = (manifold.name, need.name);
            let Some(source) = graph.get(input) else { return Err(GraphError::Unknown { manifold, input }) };
            if source.type_id != need.type_id {
                let (wanted, found) = (need.type_name, source.type_name);
                return Err(GraphError::Type { manifold, input, wanted, found });
            }
        }
    }
    let mut walk = Walk { graph: &graph, path: Vec::new(), done: Vec::new() };
    graph.keys().try_for_each(|name| walk.visit(name))?;
    Ok(graph)
}

struct Walk<'a, F> {
    graph: &'a BTreeMap<Name, Manifold<F>>,
    path: Vec<Name>,
    done: Vec<Name>,
}

impl<F> Walk<'_, F> {
    fn visit(&mut self, name: Name) -> Result<(), GraphError> {
        if self.done.contains(&name) {
            return Ok(());
        }
        if let Some(at) = self.path.iter().position(|it| *it == name) {
            let mut path = self.path.split_off(at);
            path.push(name);
            return Err(GraphError::Cycle { path });
        }
        self.path.push(name);
        for need in self.graph.get(name).into_iter().flat_map(|it| &it.needs) {
            self.visit(need.name)?;
        }
        self.path.pop();
        self.done.push(name);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{exit::Exit, flag::Flag, inputs::Inputs, key::Key};

    const A: Key<u32> = Key::new("a");
    const B: Key<u32> = Key::new("b");
    const C: Key<u32> = Key::new("c");
    const FLAG: Key<Flag> = Key::new("flag");

    fn manifold(key: Key<u32>, inputs: impl Inputs) -> Manifold<u8> {
        Manifold::new(key, inputs, |_, _| async { Ok(()) }, Exit::of)
    }

    #[test]
    fn what_is_no_graph_is_refused_with_its_reason() {
        let table = [
            (vec![manifold(A, ()), manifold(A, ())], "\"a\" manifold already installed"),
            (vec![manifold(A, (B,))], "\"a\" depends on \"b\", which is not there"),
            (vec![manifold(A, (B.optional(),))], "\"a\" depends on \"b\", which is not there"),
            (vec![manifold(A, (A,))], "cycle detected at \"a\": a -> a"),
            (
                vec![manifold(C, (A,)), manifold(B, (C.optional(),)), manifold(A, (B,))],
                "cycle detected at \"a\": a -> b -> c -> a",
            ),
            (
                vec![manifold(A, ()), manifold(B, (Key::<String>::new("a"),))],
                "\"b\" wants \"a\" to be a alloc::string::String, but it is a u32",
            ),
            (vec![manifold(A, ()).when(FLAG)], "\"a\" depends on \"flag\", which is not there"),
            (
                vec![manifold(A, ()), manifold(B, ()).when(Key::new("a"))],
                "\"b\" wants \"a\" to be a juju_engine::flag::Flag, but it is a u32",
            ),
            (
                vec![manifold(A, ()), manifold(B, ()).visits(Key::new("a"))],
                "\"b\" wants \"a\" to be a juju_engine::fortress::Fortress, but it is a u32",
            ),
        ];
        for (manifolds, text) in table {
            assert_eq!(check(manifolds).expect_err(text).to_string(), text);
        }
    }

    #[test]
    fn diamonds_are_no_cycles() {
        let flag = Manifold::value(FLAG, Flag);
        let graph = vec![manifold(C, (A, B)), manifold(B, (A,)), manifold(A, ()).when(FLAG), flag];
        assert_eq!(check(graph).expect("it is a graph").len(), 4);
    }
}
