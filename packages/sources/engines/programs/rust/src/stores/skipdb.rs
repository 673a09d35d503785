use crate::store::{aborted, error, Answer, Failure, Store, Transaction};
use ::skipdb::serializable::{SerializableDb, SerializableTransaction};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use txn::error::{TransactionError, WtmError};

type Bytes = Arc<[u8]>;

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
    fn get(&mut self, key: &[u8]) -> Answer<Option<Vec<u8>>> {
        let key = Bytes::from(key);
        let found = SerializableTransaction::get(self, &key).map_err(failure)?;
        Ok(found.map(|value| value.value().to_vec()))
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Answer<()> {
        self.insert(key.into(), value.into()).map_err(failure)
    }

    fn range(&mut self, low: &[u8], high: &[u8]) -> Answer<Vec<(Vec<u8>, Vec<u8>)>> {
        let bounds = Bytes::from(low)..=Bytes::from(high);
        let found = SerializableTransaction::range(self, bounds).map_err(failure)?;
        Ok(found.map(|one| (one.key().to_vec(), one.value().to_vec())).collect())
    }

    fn commit(mut self: Box<Self>) -> Answer<()> {
        match SerializableTransaction::commit(&mut self) {
            Ok(()) => Ok(()),
            Err(WtmError::Transaction(why)) => Err(failure(why)),
            Err(why) => Err(error(why)),
        }
    }
}

fn failure<C: Error, P: Error>(why: TransactionError<C, P>) -> Failure {
    match why {
        TransactionError::Conflict => aborted(why),
        _ => error(why),
    }
}
