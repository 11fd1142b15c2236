//! Commits as etcd transactions.

use std::collections::BTreeSet;

use etcd_client::{
    Compare, CompareOp, GetOptions, KvClient, SortOrder, SortTarget, Txn, TxnOp, TxnOpResponse, TxnResponse,
};

use super::{
    Etcd,
    client::{header_revision, revision},
    fault::Fault,
    keys::{Range, floor_value, parse_floor},
};
use crate::{Error, Guard, Result, Revision, TxnId, Write, limits::directory};

/// What a name's key holds.
const COMMITTED: &[u8] = b"1";
const VOID: &[u8] = b"0";

impl Etcd {
    /// Makes sure that the floor exists: no comparison with a missing key's value holds.
    pub(super) async fn prepare(&self) -> Result<()> {
        let floor = self.keys.floor();
        let txn = Txn::new()
            .when([Compare::create_revision(floor.clone(), CompareOp::Equal, 0)])
            .and_then([TxnOp::put(floor, floor_value(Revision::ZERO), None)]);
        self.send(&txn).await.map_err(Fault::harmless)?;
        Ok(())
    }

    pub(super) async fn try_commit(
        &self,
        guards: &[Guard],
        writes: Vec<Write>,
        txn: TxnId,
    ) -> Result<Revision> {
        let name = self.keys.name(txn);
        let only_checks = writes.is_empty();
        let mut compares = vec![Compare::create_revision(name.clone(), CompareOp::Equal, 0)];
        // What to look at when a comparison fails, in an order that `refused` knows.
        let mut questions = vec![TxnOp::get(name.clone(), None), TxnOp::get(self.keys.floor(), None)];
        let oldest = oldest_prefix(guards);
        if let Some(oldest) = oldest {
            let above = floor_value(oldest.next());
            compares.push(Compare::value(self.keys.floor(), CompareOp::Less, above));
        } else {
            questions.pop();
        }
        for guard in guards {
            match guard {
                Guard::Key(key, at) => {
                    let key = self.keys.data(key);
                    compares.push(match *at {
                        Revision::ZERO => Compare::create_revision(key.clone(), CompareOp::Equal, 0),
                        at => Compare::mod_revision(key.clone(), CompareOp::Equal, at.0 as i64),
                    });
                    questions.push(TxnOp::get(key, Some(GetOptions::new().with_keys_only())));
                }
                Guard::Prefix(prefix, at) => {
                    for range in [self.keys.data_under(prefix), self.keys.tombstones_under(prefix)] {
                        let next = at.0 as i64 + 1;
                        let compare = Compare::mod_revision(range.start.clone(), CompareOp::Less, next);
                        compares.push(compare.with_range(range.end.clone()));
                        questions.push(newest_in(range, next));
                    }
                }
            }
        }

        let operations = if only_checks { Vec::new() } else { self.operations(writes, name) };
        let request = Txn::new().when(compares).and_then(operations).or_else(questions);
        let answer = match self.send(&request).await {
            Ok(answer) => answer,
            Err(Fault::Uncertain(source)) if !only_checks => return Err(Error::Unknown { txn, source }),
            Err(fault) => return Err(fault.harmless()),
        };
        if answer.succeeded() { header_revision(answer.header()) } else { refused(&answer, guards, oldest) }
    }

    fn operations(&self, writes: Vec<Write>, name: String) -> Vec<TxnOp> {
        let mut operations = vec![TxnOp::put(name, COMMITTED, None)];
        let mut directories = BTreeSet::new();
        for write in writes {
            operations.push(match write {
                Write::Put(key, value) => TxnOp::put(self.keys.data(&key), value, None),
                Write::Delete(key) => {
                    directories.insert(directory(&key).to_owned());
                    TxnOp::delete(self.keys.data(&key), None)
                }
            });
        }
        operations.extend(directories.iter().map(|it| TxnOp::put(self.keys.tombstone(it), "", None)));
        operations
    }

    /// What became of a transaction; if nothing did, its name is taken, so that nothing ever will.
    pub(super) async fn settle(&self, txn: TxnId) -> Result<Option<Revision>> {
        let name = self.keys.name(txn);
        let request = Txn::new()
            .when([Compare::create_revision(name.clone(), CompareOp::Equal, 0)])
            .and_then([TxnOp::put(name.clone(), VOID, None)])
            .or_else([TxnOp::get(name, None)]);
        let answer = self.send(&request).await.map_err(Fault::harmless)?;
        if answer.succeeded() {
            return Ok(None);
        }
        Ok(firsts(&answer).next().flatten().filter(|it| it.value == COMMITTED).map(|it| it.at))
    }

    pub(super) async fn send(&self, request: &Txn) -> Result<TxnResponse, Fault> {
        let call = |mut kv: KvClient| {
            let request = request.clone();
            async move { kv.txn(request).await }
        };
        self.client.call(call).await
    }
}

/// The oldest revision among the prefix guards.
fn oldest_prefix(guards: &[Guard]) -> Option<Revision> {
    let revisions = guards.iter().filter_map(|it| match it {
        Guard::Prefix(_, at) => Some(*at),
        Guard::Key(..) => None,
    });
    revisions.min()
}

fn newest_in(range: Range, since: i64) -> TxnOp {
    let options = GetOptions::new()
        .with_range(range.end)
        .with_min_mod_revision(since)
        .with_sort(SortTarget::Mod, SortOrder::Descend)
        .with_limit(1)
        .with_keys_only();
    TxnOp::get(range.start, Some(options))
}

/// Why the comparisons did not hold. One reason is that the transaction was committed before, and only the
/// answer was lost.
fn refused(answer: &TxnResponse, guards: &[Guard], oldest: Option<Revision>) -> Result<Revision> {
    let now = header_revision(answer.header())?;
    let mut answers = firsts(answer);
    let mut next = || answers.next().flatten();
    match next() {
        Some(name) if name.value == COMMITTED => return Ok(name.at),
        Some(_) => return Err(Error::Conflict { wait_for: now }),
        None => {}
    }
    if let Some(oldest) = oldest
        && let Some(floor) = next()
        && parse_floor(&floor.value)? > oldest
    {
        return Err(Error::Compacted(oldest));
    }
    let mut wait_for = None;
    for guard in guards {
        let broken = match guard {
            Guard::Key(_, expected) => {
                let modified = next().map(|it| it.at);
                // A key that is gone went at some revision up to now.
                (modified.unwrap_or_default() != *expected).then(|| modified.unwrap_or(now))
            }
            Guard::Prefix(..) => {
                let (entries, tombstones) = (next(), next());
                entries.into_iter().chain(tombstones).map(|it| it.at).max()
            }
        };
        wait_for = wait_for.max(broken);
    }
    Err(Error::Conflict { wait_for: wait_for.unwrap_or(now) })
}

struct First {
    value: Vec<u8>,
    at: Revision,
}

/// For each question, in order, the first thing found.
fn firsts(answer: &TxnResponse) -> impl Iterator<Item = Option<First>> {
    answer.op_responses().into_iter().map(|response| match response {
        TxnOpResponse::Get(mut found) => found.take_kvs().into_iter().next().map(|kv| {
            let at = revision(kv.mod_revision());
            First { value: kv.into_key_value().1, at }
        }),
        _ => None,
    })
}
