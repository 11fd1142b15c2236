//! Deleting what is too much for one transaction.

use crate::{Result, State, Tx};

/// How many documents one step deletes. Each may stand in a directory of its own, which counts as well.
const STEP: usize = 50;

/// Deletes all documents under a prefix, in steps, until none is left. Whoever calls this has seen to it that nothing
/// is added meanwhile.
pub(crate) async fn under(state: &State, prefix: &str) -> Result<()> {
    loop {
        let image = state.image();
        let keys: Vec<String> = image.list(prefix).take(STEP).map(|it| it.key().to_owned()).collect();
        if keys.is_empty() {
            return Ok(());
        }
        let step = async |tx: Tx| {
            keys.iter().for_each(|it| tx.txn.delete(it.as_str()));
            Ok(())
        };
        state.transact(step).await?;
    }
}
