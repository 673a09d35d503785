use crate::store::{aborted, error, Answer, Failure, Store, Transaction};
use ::canopydb::{Database, DbOptions, EnvOptions, Error, WriteTransaction};
use std::path::Path;
use std::sync::Arc;

struct Canopydb(Database);

pub fn open(folder: &Path, _: &str) -> Answer<Arc<dyn Store>> {
    let mut environment = EnvOptions::new(folder);
    environment.disable_fsync = true; // which is for crashes of machines
    let database = Database::with_options(environment, DbOptions::default()).map_err(failure)?;
    Ok(Arc::new(Canopydb(database)))
}

impl Store for Canopydb {
    fn begin(&self, isolation: &str) -> Answer<Box<dyn Transaction>> {
        let transaction = match isolation {
            "snapshot" => self.0.begin_write_concurrent(),
            "serializable" => self.0.begin_write(),
            _ => return Err(error(format!("there is no isolation level {isolation}"))),
        };
        Ok(Box::new(transaction.map_err(failure)?))
    }
}

const TREE: &[u8] = b"isolab";

impl Transaction for WriteTransaction {
    fn get(&mut self, key: &[u8]) -> Answer<Option<Vec<u8>>> {
        let tree = self.get_or_create_tree(TREE).map_err(failure)?;
        let found = tree.get(key).map_err(failure)?;
        Ok(found.map(|value| value.to_vec()))
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Answer<()> {
        self.get_or_create_tree(TREE).map_err(failure)?.insert(key, value).map_err(failure)
    }

    fn range(&mut self, low: &[u8], high: &[u8]) -> Answer<Vec<(Vec<u8>, Vec<u8>)>> {
        let tree = self.get_or_create_tree(TREE).map_err(failure)?;
        let found = tree.range(low..=high).map_err(failure)?;
        found.map(|one| one.map(|(key, value)| (key.to_vec(), value.to_vec())).map_err(failure)).collect()
    }

    fn commit(self: Box<Self>) -> Answer<()> {
        WriteTransaction::commit(*self).map_err(failure)?;
        Ok(())
    }
}

fn failure(why: Error) -> Failure {
    match why {
        Error::WriteConflict => aborted(why),
        _ => error(why),
    }
}
