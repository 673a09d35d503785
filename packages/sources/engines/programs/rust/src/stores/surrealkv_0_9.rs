use crate::store::{aborted, error, Answer, Failure, Store, Transaction};
use std::path::Path;
use std::sync::Arc;
use surrealkv_0_9 as surrealkv;
use surrealkv::{Error, IsolationLevel, Options};

/// The whole store has one level: snapshot, which is its default, or serializable.
struct Surrealkv {
    store: surrealkv::Store,
    isolation: String,
}

pub fn open(folder: &Path, isolation: &str) -> Answer<Arc<dyn Store>> {
    let mut options = Options::new();
    options.dir = folder.to_path_buf();
    options.isolation_level = match isolation {
        "snapshot" => IsolationLevel::SnapshotIsolation,
        "serializable" => IsolationLevel::SerializableSnapshotIsolation,
        _ => return Err(error(format!("there is no isolation level {isolation}"))),
    };
    let store = surrealkv::Store::new(options).map_err(failure)?;
    Ok(Arc::new(Surrealkv { store, isolation: isolation.to_owned() }))
}

impl Store for Surrealkv {
    fn begin(&self, _: &str) -> Answer<Box<dyn Transaction>> {
        Ok(Box::new(self.store.begin().map_err(failure)?))
    }

    fn serves(&self, isolation: &str) -> bool {
        self.isolation == isolation
    }
}

impl Transaction for surrealkv::Transaction {
    fn get(&mut self, key: &[u8]) -> Answer<Option<Vec<u8>>> {
        surrealkv::Transaction::get(self, key).map_err(failure)
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Answer<()> {
        self.set(key, value).map_err(failure)
    }

    fn range(&mut self, low: &[u8], high: &[u8]) -> Answer<Vec<(Vec<u8>, Vec<u8>)>> {
        let found = self.scan(low..=high, None);
        found.map(|one| one.map(|(key, value, _)| (key.to_vec(), value)).map_err(failure)).collect()
    }

    fn commit(mut self: Box<Self>) -> Answer<()> {
        surrealkv::Transaction::commit(&mut self).map_err(failure)
    }
}

fn failure(why: Error) -> Failure {
    match why {
        Error::TransactionReadConflict | Error::TransactionWriteConflict => aborted(why),
        _ => error(why),
    }
}
