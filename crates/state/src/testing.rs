//! What the tests of this crate share: a state on a store in memory, with a controller in it and a clock of its own.

use std::sync::{Arc, Mutex};

use jiff::{SignedDuration, Timestamp};
use juju_store::{Memory, View};

use crate::{Clock, History, Model, Result, State, bootstrap};

/// A state whose clock moves only when told to.
pub(crate) struct Fixture {
    pub(crate) state: State,
    now: Arc<Mutex<Timestamp>>,
}

impl Fixture {
    /// A store with nothing in it.
    pub(crate) async fn empty() -> Fixture {
        let view = View::open(Memory::new()).await.unwrap();
        let now = Arc::new(Mutex::new(Timestamp::from_second(1_700_000_000).unwrap()));
        let shown = Arc::clone(&now);
        let clock = Clock::new(move || *shown.lock().unwrap());
        Fixture { state: State::new(view, clock, History::none()), now }
    }

    /// A controller named `test`, with the user `admin` and a model that it runs on.
    pub(crate) async fn new() -> Fixture {
        let fixture = Fixture::empty().await;
        fixture.state.initialise(&bootstrap::tests::params()).await.unwrap();
        fixture
    }

    /// A hosted model of this name.
    pub(crate) async fn model(&self, name: &str) -> Model {
        self.try_model(name).await.unwrap()
    }

    pub(crate) async fn try_model(&self, name: &str) -> Result<Model> {
        self.state.add_model(&bootstrap::tests::new_model(name)).await
    }

    /// Lets the time go on.
    pub(crate) fn pass(&self, seconds: i64) {
        let mut now = self.now.lock().unwrap();
        *now += SignedDuration::from_secs(seconds);
    }
}

/// Reads an id, which the test knows to be one.
pub(crate) fn id<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{text:?} is no id"))
}
