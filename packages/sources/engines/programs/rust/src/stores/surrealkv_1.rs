use crate::store::{aborted, error, Answer, Failure, Store, Transaction};
use std::path::Path;
use std::sync::Arc;
use surrealkv_1 as surrealkv;
use surrealkv::{Error, LSMIterator, Tree, TreeBuilder};
use tokio::runtime::Runtime;

struct Surrealkv {
    tree: Tree,
    runtime: Arc<Runtime>,
}

pub fn open(folder: &Path, _: &str) -> Answer<Arc<dyn Store>> {
    let runtime = Arc::new(Runtime::new().map_err(error)?);
    let _entered = runtime.enter();
    let tree = TreeBuilder::new().with_path(folder.to_path_buf()).build().map_err(failure)?;
    Ok(Arc::new(Surrealkv { tree, runtime: runtime.clone() }))
}

impl Store for Surrealkv {
    fn begin(&self, isolation: &str) -> Answer<Box<dyn Transaction>> {
        let locks_reads = match isolation {
            "snapshot" => false,
            "locked reads" => true,
            _ => return Err(error(format!("there is no isolation level {isolation}"))),
        };
        let transaction = self.tree.begin().map_err(failure)?;
        Ok(Box::new(Begun { transaction, runtime: self.runtime.clone(), locks_reads }))
    }
}

struct Begun {
    transaction: surrealkv::Transaction,
    runtime: Arc<Runtime>,
    /// Whether each read makes the commit fail if somebody has written the key since.
    locks_reads: bool,
}

impl Transaction for Begun {
    fn get(&mut self, key: &[u8]) -> Answer<Option<Vec<u8>>> {
        let found = if self.locks_reads { self.transaction.get_for_update(key) } else { self.transaction.get(key) };
        Ok(found.map_err(failure)?.map(|value| value.to_vec()))
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Answer<()> {
        self.transaction.set(key, value).map_err(failure)
    }

    fn range(&mut self, low: &[u8], high: &[u8]) -> Answer<Vec<(Vec<u8>, Vec<u8>)>> {
        if self.locks_reads {
            return self.each_between(low, high);
        }
        let mut found = Vec::new();
        let mut rows = self.transaction.range(low, &[high, &[0]].concat()[..]).map_err(failure)?;
        let mut is_there = rows.seek_first().map_err(failure)?;
        while is_there {
            found.push((rows.key().user_key().to_vec(), rows.value().map_err(failure)?.to_vec()));
            is_there = rows.next().map_err(failure)?;
        }
        Ok(found)
    }

    fn commit(mut self: Box<Self>) -> Answer<()> {
        let runtime = self.runtime.clone();
        runtime.block_on(self.transaction.commit()).map_err(failure)
    }
}

impl Begun {
    /// A range whose keys are read one by one, which locks absent ones, too. Keys of rows end in eight bytes.
    fn each_between(&mut self, low: &[u8], high: &[u8]) -> Answer<Vec<(Vec<u8>, Vec<u8>)>> {
        let number = |key: &[u8]| key[1..].try_into().map(u64::from_be_bytes).map_err(error);
        let (first, last) = (number(low)?, number(high)?);
        if last.saturating_sub(first) > MOST_KEYS {
            return Err(error(format!("a range of more than {MOST_KEYS} keys cannot be locked by reading")));
        }
        let mut found = Vec::new();
        for number in first..=last {
            let key = [&low[..1], &number.to_be_bytes()].concat();
            if let Some(value) = self.get(&key)? {
                found.push((key, value));
            }
        }
        Ok(found)
    }
}

const MOST_KEYS: u64 = 10_000;

fn failure(why: Error) -> Failure {
    match why {
        Error::TransactionWriteConflict | Error::TransactionRetry => aborted(why),
        _ => error(why),
    }
}
