//! Watchers: what the API reports again and again, computed from the view.
//!
//! A [`Watcher`] is a set of keys and prefixes, and a [`Look`] that computes what there is to report. It is level
//! triggered: it is told that something of interest changed and looks at what is there now, so that it does not
//! matter how many changes there were, nor when the caller asks. Where Juju merges what changes within 10 ms, a
//! watcher answers at once and merges what happens until it is asked again: a client sees no difference but the time.
//!
//! The shapes that many kinds share are here; a watcher of one kind alone stands in that kind's file.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use futures_util::FutureExt;
use juju_core::Life;
use juju_store::{Image, Interest, View, Watch};

use crate::Result;

/// Reports events of one type, the first of which is there from the beginning.
pub struct Watcher<E> {
    view: View,
    watch: Watch,
    look: Box<dyn Look<E>>,
    /// What has changed and was not looked at yet.
    pending: BTreeSet<Arc<str>>,
}

/// Computes events. Whatever it needs to remember of those before, it keeps.
pub trait Look<E>: Send {
    /// What there is to report that was not reported, if anything.
    fn look(&mut self, at: &mut Looking<'_>) -> Result<Option<E>>;
}

/// One look at the state.
pub struct Looking<'a> {
    pub image: &'a Image,
    /// The keys of interest that changed since the last look; nothing at the first.
    pub changed: Option<&'a BTreeSet<Arc<str>>>,
    more: Interest,
    less: Interest,
}

impl Looking<'_> {
    /// From now on what happens there is of interest too.
    pub fn follow(&mut self, interest: Interest) {
        let more = std::mem::take(&mut self.more);
        self.more = more.and(interest);
    }

    /// What happens there is no longer of interest.
    pub fn leave(&mut self, interest: Interest) {
        let less = std::mem::take(&mut self.less);
        self.less = less.and(interest);
    }
}

impl<F, E> Look<E> for F
where
    F: FnMut(&mut Looking<'_>) -> Result<Option<E>> + Send,
{
    fn look(&mut self, at: &mut Looking<'_>) -> Result<Option<E>> {
        self(at)
    }
}

impl<E: Default> Watcher<E> {
    /// Looks for the first time; answers what it saw and the watcher of what comes after.
    pub fn open(
        view: &View,
        interest: Interest,
        mut look: impl Look<E> + 'static,
    ) -> Result<(E, Watcher<E>)> {
        let (image, mut watch) = view.watch(interest)?;
        let first = look_at(&mut look, &image, None, &mut watch)?.unwrap_or_default();
        let watcher = Watcher { view: view.clone(), watch, look: Box::new(look), pending: BTreeSet::new() };
        Ok((first, watcher))
    }
}

impl<E> Watcher<E> {
    /// Waits for the next event. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<E> {
        loop {
            if self.pending.is_empty() {
                self.pending.extend(self.watch.next().await?.keys);
            }
            while let Some(more) = self.watch.next().now_or_never() {
                self.pending.extend(more?.keys);
            }
            let changed = std::mem::take(&mut self.pending);
            let image = self.view.image();
            if let Some(event) = look_at(&mut *self.look, &image, Some(&changed), &mut self.watch)? {
                return Ok(event);
            }
        }
    }
}

fn look_at<E>(
    look: &mut (impl Look<E> + ?Sized),
    image: &Image,
    changed: Option<&BTreeSet<Arc<str>>>,
    watch: &mut Watch,
) -> Result<Option<E>> {
    let mut looking = Looking { image, changed, more: Interest::none(), less: Interest::none() };
    let event = look.look(&mut looking)?;
    let Looking { more, less, .. } = looking;
    watch.remove(&less);
    watch.add_since(more, image.revision())?;
    Ok(event)
}

/// Tells of every change of interest, without saying what it is.
pub fn notify(view: &View, interest: Interest) -> Result<Watcher<()>> {
    let (_, watcher) = Watcher::open(view, interest, |_: &mut Looking<'_>| Ok(Some(())))?;
    Ok(watcher)
}

/// Tells whenever a value computed from the state is another than it was.
pub fn notify_of<T: PartialEq + Send + 'static>(
    view: &View,
    interest: Interest,
    compute: impl Fn(&Image) -> Result<T> + Send + 'static,
) -> Result<Watcher<()>> {
    let mut last = None;
    let look = move |at: &mut Looking<'_>| {
        let value = Some(compute(at.image)?);
        let changed = value != last;
        last = value;
        Ok(changed.then_some(()))
    };
    let (_, watcher) = Watcher::open(view, interest, look)?;
    Ok(watcher)
}

/// Reports one text whenever it is another than it was: a hash of what is watched.
pub fn text(
    view: &View,
    interest: Interest,
    compute: impl Fn(&Image) -> Result<String> + Send + 'static,
) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
    let mut last = None;
    let look = move |at: &mut Looking<'_>| {
        let value = compute(at.image)?;
        if last.as_ref() == Some(&value) {
            return Ok(None);
        }
        last = Some(value.clone());
        Ok(Some(vec![value]))
    };
    Watcher::open(view, interest, look)
}

/// Reports ids when they are added, when their life changes, and when they are removed, unless they were dead.
///
/// `all` computes the present ids; it is asked again after every change, so it should be cheap, and `interest` is
/// all that it depends upon.
pub fn lives(
    view: &View,
    interest: Interest,
    all: impl Fn(&Image) -> Result<BTreeMap<String, Life>> + Send + 'static,
) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
    let mut known = Lives::default();
    let look = move |at: &mut Looking<'_>| Ok(known.update(all(at.image)?));
    Watcher::open(view, interest, look)
}

/// Reports the ids under a prefix as [`lives`] does, at the cost of what changed alone.
///
/// `id` says which id a key is about, if any, and `life` whether that is there and how it is.
pub fn lives_under(
    view: &View,
    prefix: &str,
    id: impl Fn(&str) -> Option<String> + Send + 'static,
    life: impl Fn(&Image, &str) -> Result<Option<Life>> + Send + 'static,
) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
    let mut known = Lives::default();
    let path = prefix.to_owned();
    let look = move |at: &mut Looking<'_>| {
        let ids: BTreeSet<String> = match at.changed {
            Some(changed) => changed.iter().filter_map(|it| id(it)).collect(),
            None => at.image.list(&path).filter_map(|it| id(it.key())).collect(),
        };
        let mut report = Vec::new();
        for id in ids {
            let life = life(at.image, &id)?;
            if known.set(&id, life) {
                report.push(id);
            }
        }
        Ok((!report.is_empty()).then_some(report))
    };
    Watcher::open(view, Interest::prefix(prefix), look)
}

/// Reports what follows the prefix in each key that is written or, if `removals`, removed.
pub fn names(
    view: &View,
    prefix: &str,
    removals: bool,
    name: impl Fn(&str) -> Option<String> + Send + 'static,
) -> Result<(Vec<String>, Watcher<Vec<String>>)> {
    let path = prefix.to_owned();
    let look = move |at: &mut Looking<'_>| {
        let report: BTreeSet<String> = match at.changed {
            Some(changed) => {
                let told = changed.iter().filter(|it| removals || at.image.get(it).is_some());
                told.filter_map(|it| name(it)).collect()
            }
            None => at.image.list(&path).filter_map(|it| name(it.key())).collect(),
        };
        Ok((!report.is_empty()).then(|| report.into_iter().collect()))
    };
    Watcher::open(view, Interest::prefix(prefix), look)
}

/// What was reported of the lives of things.
#[derive(Default)]
pub(crate) struct Lives {
    /// The dead stay until they are removed, which is then not told.
    known: BTreeMap<String, Life>,
}

impl Lives {
    /// Takes note of one; answers whether that is to be reported.
    pub(crate) fn set(&mut self, id: &str, life: Option<Life>) -> bool {
        let last = self.known.get(id).copied();
        match life {
            None => self.known.remove(id).is_some_and(|it| it != Life::Dead),
            Some(life) if last == Some(life) => false,
            Some(life) => {
                self.known.insert(id.to_owned(), life);
                true
            }
        }
    }

    /// Takes note of all that there are; answers the ids to be reported.
    pub(crate) fn update(&mut self, all: BTreeMap<String, Life>) -> Option<Vec<String>> {
        let gone: Vec<String> = self.known.keys().filter(|it| !all.contains_key(*it)).cloned().collect();
        let gone = gone.into_iter().filter(|it| self.set(it, None)).collect::<Vec<_>>();
        let mut report: Vec<String> =
            all.iter().filter(|(id, life)| self.set(id, Some(**life))).map(|(id, _)| id.clone()).collect();
        report.extend(gone);
        (!report.is_empty()).then_some(report)
    }
}
