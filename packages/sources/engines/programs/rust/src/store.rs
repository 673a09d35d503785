//! What the driver asks of a key-value engine.

use std::path::Path;
use std::sync::Arc;

/// Why something was not done, in the words of isolab's protocol.
pub enum Failure {
    /// The engine refused or undid the transaction.
    Aborted(String),
    /// Something is wrong; at commit, nobody knows what happened.
    Error(String),
}

pub type Answer<T> = Result<T, Failure>;

pub fn error(why: impl ToString) -> Failure {
    Failure::Error(why.to_string())
}

pub fn aborted(why: impl ToString) -> Failure {
    Failure::Aborted(why.to_string())
}

/// An open engine.
pub trait Store: Send + Sync {
    fn begin(&self, isolation: &str) -> Answer<Box<dyn Transaction>>;
    /// Whether transactions of this level can begin without opening the engine anew.
    fn serves(&self, _isolation: &str) -> bool {
        true
    }
}

/// A transaction, which is undone when it is dropped.
pub trait Transaction {
    fn get(&mut self, key: &[u8]) -> Answer<Option<Vec<u8>>>;
    fn put(&mut self, key: &[u8], value: &[u8]) -> Answer<()>;
    /// What is between two keys, both included.
    fn range(&mut self, low: &[u8], high: &[u8]) -> Answer<Vec<(Vec<u8>, Vec<u8>)>>;
    fn commit(self: Box<Self>) -> Answer<()>;
}

/// How an engine is opened in a folder that exists, for transactions of this level.
pub type Open = fn(folder: &Path, isolation: &str) -> Answer<Arc<dyn Store>>;
