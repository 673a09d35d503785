use crate::store::{aborted, error, Answer, Store, Transaction};
use fjall_2 as fjall;
use fjall::{Config, PartitionCreateOptions, TransactionalKeyspace, TransactionalPartitionHandle, WriteTransaction};
use std::path::Path;
use std::sync::Arc;

struct Fjall {
    keyspace: TransactionalKeyspace,
    partition: TransactionalPartitionHandle,
}

pub fn open(folder: &Path, _: &str) -> Answer<Arc<dyn Store>> {
    let keyspace = Config::new(folder).open_transactional().map_err(error)?;
    let partition = keyspace.open_partition("isolab", PartitionCreateOptions::default()).map_err(error)?;
    Ok(Arc::new(Fjall { keyspace, partition }))
}

impl Store for Fjall {
    fn begin(&self, _: &str) -> Answer<Box<dyn Transaction>> {
        let transaction = self.keyspace.write_tx().map_err(error)?;
        Ok(Box::new(Begun { transaction, partition: self.partition.clone() }))
    }
}

struct Begun {
    transaction: WriteTransaction,
    partition: TransactionalPartitionHandle,
}

impl Transaction for Begun {
    fn get(&mut self, key: &[u8]) -> Answer<Option<Vec<u8>>> {
        Ok(self.transaction.get(&self.partition, key).map_err(error)?.map(|value| value.to_vec()))
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Answer<()> {
        self.transaction.insert(&self.partition, key, value);
        Ok(())
    }

    fn range(&mut self, low: &[u8], high: &[u8]) -> Answer<Vec<(Vec<u8>, Vec<u8>)>> {
        let found = self.transaction.range(&self.partition, low..=high);
        found.map(|one| one.map(|(key, value)| (key.to_vec(), value.to_vec())).map_err(error)).collect()
    }

    fn commit(self: Box<Self>) -> Answer<()> {
        self.transaction.commit().map_err(error)?.map_err(|_| aborted("a conflict"))
    }
}
