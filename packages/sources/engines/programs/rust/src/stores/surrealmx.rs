use crate::store::{aborted, error, Answer, Failure, Store, Transaction};
use ::surrealmx::{Database, DatabaseOptions, Error};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// In memory only, with garbage collected much more often than by default.
struct Surrealmx(Database);

pub fn open(_: &Path, _: &str) -> Answer<Arc<dyn Store>> {
    let options = DatabaseOptions { gc_interval: SOON, cleanup_interval: SOON, ..Default::default() };
    Ok(Arc::new(Surrealmx(Database::new_with_options(options))))
}

const SOON: Duration = Duration::from_millis(10);

impl Store for Surrealmx {
    fn begin(&self, _: &str) -> Answer<Box<dyn Transaction>> {
        Ok(Box::new(Begun(self.0.transaction(true))))
    }
}

struct Begun(::surrealmx::Transaction);

impl Transaction for Begun {
    fn get(&mut self, key: &[u8]) -> Answer<Option<Vec<u8>>> {
        Ok(self.0.get(key).map_err(failure)?.map(|value| value.to_vec()))
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Answer<()> {
        self.0.set(key, value).map_err(failure)
    }

    fn range(&mut self, low: &[u8], high: &[u8]) -> Answer<Vec<(Vec<u8>, Vec<u8>)>> {
        let found = self.0.scan(low.to_vec()..[high, &[0]].concat(), None, None).map_err(failure)?;
        Ok(found.iter().map(|(key, value)| (key.to_vec(), value.to_vec())).collect())
    }

    fn commit(mut self: Box<Self>) -> Answer<()> {
        self.0.commit().map_err(failure)
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        let _ = self.0.cancel(); // refused after a commit
    }
}

fn failure(why: Error) -> Failure {
    match why {
        Error::KeyReadConflict | Error::KeyWriteConflict => aborted(why),
        _ => error(why),
    }
}
