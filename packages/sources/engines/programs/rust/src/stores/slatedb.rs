use crate::store::{aborted, error, Answer, Failure, Store, Transaction};
use ::slatedb::object_store::local::LocalFileSystem;
use ::slatedb::{Db, DbTransaction, Error, ErrorKind, IsolationLevel};
use std::path::Path;
use std::sync::Arc;
use tokio::runtime::Runtime;

struct Slatedb {
    database: Db,
    runtime: Arc<Runtime>,
}

/// On files, where a real one would be on an object store.
pub fn open(folder: &Path, _: &str) -> Answer<Arc<dyn Store>> {
    let runtime = Arc::new(Runtime::new().map_err(error)?);
    let files = LocalFileSystem::new_with_prefix(folder).map_err(error)?;
    let database = runtime.block_on(Db::open("isolab", Arc::new(files))).map_err(failure)?;
    Ok(Arc::new(Slatedb { database, runtime }))
}

impl Store for Slatedb {
    fn begin(&self, isolation: &str) -> Answer<Box<dyn Transaction>> {
        let level = match isolation {
            "snapshot" => IsolationLevel::Snapshot,
            "serializable" => IsolationLevel::SerializableSnapshot,
            _ => return Err(error(format!("there is no isolation level {isolation}"))),
        };
        let _entered = self.runtime.enter();
        let transaction = self.database.begin(level).map_err(failure)?;
        Ok(Box::new(Begun { transaction, runtime: self.runtime.clone() }))
    }
}

struct Begun {
    transaction: DbTransaction,
    runtime: Arc<Runtime>,
}

impl Transaction for Begun {
    fn get(&mut self, key: &[u8]) -> Answer<Option<Vec<u8>>> {
        let found = self.runtime.block_on(self.transaction.get(key)).map_err(failure)?;
        Ok(found.map(|value| value.to_vec()))
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Answer<()> {
        self.transaction.put(key, value).map_err(failure)
    }

    fn range(&mut self, low: &[u8], high: &[u8]) -> Answer<Vec<(Vec<u8>, Vec<u8>)>> {
        let (low, high) = (low.to_vec(), high.to_vec());
        self.runtime.block_on(async {
            let mut found = Vec::new();
            let mut rows = self.transaction.scan(low..=high).await.map_err(failure)?;
            while let Some(row) = rows.next().await.map_err(failure)? {
                found.push((row.key.to_vec(), row.value.to_vec()));
            }
            Ok(found)
        })
    }

    fn commit(self: Box<Self>) -> Answer<()> {
        let Begun { transaction, runtime } = *self;
        runtime.block_on(transaction.commit()).map_err(failure)?;
        Ok(())
    }
}

fn failure(why: Error) -> Failure {
    match why.kind() {
        ErrorKind::Transaction => aborted(why),
        _ => error(why),
    }
}
