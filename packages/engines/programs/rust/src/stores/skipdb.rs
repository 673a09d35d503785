use crate::store::{aborted, error, Answer, Failure, Store, Transaction};
use ::skipdb::error::{TransactionError, WtmError};
use ::skipdb::serializable::{SerializableDb, SerializableTransaction};
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

type Bytes = Vec<u8>;

/// In memory only.
struct Skipdb(SerializableDb<Bytes, Bytes>);

pub fn open(_: &Path, _: &str) -> Answer<Arc<dyn Store>> {
    Ok(Arc::new(Skipdb(SerializableDb::new())))
}

impl Store for Skipdb {
    fn begin(&self, _: &str) -> Answer<Box<dyn Transaction>> {
        Ok(Box::new(self.0.serializable_write()))
    }
}

impl Transaction for SerializableTransaction<Bytes, Bytes> {
    fn get(&mut self, key: &[u8]) -> Answer<Option<Bytes>> {
        let key = key.to_vec();
        let found = SerializableTransaction::get(self, &key).map_err(failure)?;
        Ok(found.map(|value| value.value().clone()))
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Answer<()> {
        self.insert(key.to_vec(), value.to_vec()).map_err(failure)
    }

    fn range(&mut self, low: &[u8], high: &[u8]) -> Answer<Vec<(Bytes, Bytes)>> {
        let found = SerializableTransaction::range(self, low.to_vec()..=high.to_vec()).map_err(failure)?;
        Ok(found.map(|one| (one.key().clone(), one.value().clone())).collect())
    }

    fn commit(mut self: Box<Self>) -> Answer<()> {
        match SerializableTransaction::commit(&mut self) {
            Ok(()) => Ok(()),
            Err(WtmError::Transaction(why)) => Err(failure(why)),
            Err(why) => Err(error(format!("{why:?}"))),
        }
    }
}

fn failure<C: Debug, P: Debug>(why: TransactionError<C, P>) -> Failure {
    match why {
        TransactionError::Conflict => aborted("a conflict"),
        _ => error(format!("{why:?}")),
    }
}
