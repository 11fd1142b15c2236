//! The contract on the store in memory.

use juju_store::Memory;

mod contract;
mod support;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keeps_the_contract() {
    contract::all(async |_| Memory::new()).await;
}
