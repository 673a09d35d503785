//! Threads increment one counter in surrealkv 0.9.3, each time in a transaction of its own: read, write, commit. At snapshot
//! isolation the second of two concurrent ones must not commit, so that the counter ends at the number of commits that
//! succeeded. Called with `snapshot`, the default of the crate, or with `serializable`, and with the number of threads and
//! of increments.

use std::env::{args, temp_dir};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::{fs, process, thread};
use surrealkv::{Error, IsolationLevel, Options, Store};

fn main() {
    let given: Vec<String> = args().skip(1).collect();
    let number = |at: usize, otherwise: u64| given.get(at).map_or(otherwise, |word| word.parse().expect("a number"));
    let mut options = Options::new();
    options.isolation_level = match given.first().map_or("snapshot", String::as_str) {
        "snapshot" => IsolationLevel::SnapshotIsolation,
        "serializable" => IsolationLevel::SerializableSnapshotIsolation,
        other => panic!("expected snapshot or serializable, not {other}"),
    };
    options.dir = temp_dir().join(format!("surrealkv-lost-update-{}", process::id()));
    let folder = options.dir.clone();
    let store = Arc::new(Store::new(options).expect("it opens"));
    let (threads, increments) = (number(1, 16), number(2, 50_000));
    let more = vec![0; 4096];
    let commits = Arc::new(AtomicU64::new(0));
    let workers: Vec<_> = (0..threads)
        .map(|_| {
            let (store, commits, more) = (store.clone(), commits.clone(), more.clone());
            thread::spawn(move || {
                while commits.load(Ordering::Relaxed) < increments {
                    let mut transaction = store.begin().expect("it begins");
                    let held = transaction.get(b"counter").expect("it reads");
                    let count = held.map_or(0, |value| u64::from_be_bytes(value.try_into().expect("8 bytes")));
                    transaction.set(b"counter", &(count + 1).to_be_bytes()).expect("it writes");
                    transaction.set(b"more", &more).expect("it writes"); // so that a commit takes longer
                    match transaction.commit() {
                        Ok(()) => _ = commits.fetch_add(1, Ordering::Relaxed),
                        Err(Error::TransactionReadConflict | Error::TransactionWriteConflict) => {}
                        Err(other) => panic!("{other}"),
                    }
                }
            })
        })
        .collect();
    for worker in workers {
        worker.join().expect("it ends");
    }
    let mut transaction = store.begin().expect("it begins");
    let held = transaction.get(b"counter").expect("it reads").expect("it was written");
    let count = u64::from_be_bytes(held.try_into().expect("8 bytes"));
    let committed = commits.load(Ordering::Relaxed);
    println!("{committed} increments were committed, and the counter is {count}: {} are lost", committed - count);
    drop(transaction);
    store.close().expect("it closes");
    let _ = fs::remove_dir_all(folder);
    process::exit(i32::from(committed != count));
}
