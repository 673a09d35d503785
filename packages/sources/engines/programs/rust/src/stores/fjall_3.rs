use crate::store::{aborted, error, Answer, Store, Transaction};
use fjall_3 as fjall;
use fjall::{KeyspaceCreateOptions, OptimisticTxDatabase, OptimisticTxKeyspace, OptimisticWriteTx, Readable};
use std::path::Path;
use std::sync::Arc;

struct Fjall {
    database: OptimisticTxDatabase,
    keyspace: OptimisticTxKeyspace,
}

pub fn open(folder: &Path, _: &str) -> Answer<Arc<dyn Store>> {
    let database = OptimisticTxDatabase::builder(folder).open().map_err(error)?;
    let keyspace = database.keyspace("isolab", KeyspaceCreateOptions::default).map_err(error)?;
    Ok(Arc::new(Fjall { database, keyspace }))
}

impl Store for Fjall {
    fn begin(&self, _: &str) -> Answer<Box<dyn Transaction>> {
        let transaction = self.database.write_tx().map_err(error)?;
        Ok(Box::new(Begun { transaction, keyspace: self.keyspace.clone() }))
    }
}

struct Begun {
    transaction: OptimisticWriteTx,
    keyspace: OptimisticTxKeyspace,
}

impl Transaction for Begun {
    fn get(&mut self, key: &[u8]) -> Answer<Option<Vec<u8>>> {
        Ok(self.transaction.get(&self.keyspace, key).map_err(error)?.map(|value| value.to_vec()))
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Answer<()> {
        self.transaction.insert(&self.keyspace, key, value);
        Ok(())
    }

    fn range(&mut self, low: &[u8], high: &[u8]) -> Answer<Vec<(Vec<u8>, Vec<u8>)>> {
        let found = self.transaction.range(&self.keyspace, low..=high);
        found
            .map(|one| one.into_inner().map(|(key, value)| (key.to_vec(), value.to_vec())).map_err(error))
            .collect()
    }

    fn commit(self: Box<Self>) -> Answer<()> {
        self.transaction.commit().map_err(error)?.map_err(|_| aborted("a conflict"))
    }
}
