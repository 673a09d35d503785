use crate::store::{error, Answer, Store, Transaction};
use ::redb::{Database, Durability, ReadableTable, TableDefinition, WriteTransaction};
use std::path::Path;
use std::sync::Arc;

const TABLE: TableDefinition<&[u8], &[u8]> = TableDefinition::new("isolab");

pub fn open(folder: &Path, _: &str) -> Answer<Arc<dyn Store>> {
    Ok(Arc::new(Redb(Database::create(folder.join("isolab.redb")).map_err(error)?)))
}

struct Redb(Database);

impl Store for Redb {
    /// It waits for whoever writes.
    fn begin(&self, _: &str) -> Answer<Box<dyn Transaction>> {
        let mut transaction = self.0.begin_write().map_err(error)?;
        transaction.set_durability(Durability::None).map_err(error)?; // nothing is synced, which is for crashes of machines
        Ok(Box::new(transaction))
    }
}

impl Transaction for WriteTransaction {
    fn get(&mut self, key: &[u8]) -> Answer<Option<Vec<u8>>> {
        let table = self.open_table(TABLE).map_err(error)?;
        let found = table.get(key).map_err(error)?;
        Ok(found.map(|value| value.value().to_vec()))
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Answer<()> {
        self.open_table(TABLE).map_err(error)?.insert(key, value).map_err(error)?;
        Ok(())
    }

    fn range(&mut self, low: &[u8], high: &[u8]) -> Answer<Vec<(Vec<u8>, Vec<u8>)>> {
        let table = self.open_table(TABLE).map_err(error)?;
        let found = table.range(low..=high).map_err(error)?;
        found
            .map(|one| one.map(|(key, value)| (key.value().to_vec(), value.value().to_vec())).map_err(error))
            .collect()
    }

    fn commit(self: Box<Self>) -> Answer<()> {
        WriteTransaction::commit(*self).map_err(error)
    }
}
