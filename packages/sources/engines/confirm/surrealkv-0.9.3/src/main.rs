//! Threads increment one counter in surrealkv 0.9.3, each time in a transaction of its own: read, write, commit. At snapshot
//! isolation the second of two concurrent ones must not commit, so that the counter ends at the number of commits that
//! succeeded. Called with `snapshot`, the default of the crate, or with `serializable`, and with the number of threads, of
//! increments, and of rounds, each of which has a store of its own.

use std::env::{args, temp_dir};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, process, thread};
use surrealkv::{Error, IsolationLevel, Options, Store};

fn main() {
    let given: Vec<String> = args().skip(1).collect();
    let number = |at: usize, otherwise: u64| given.get(at).map_or(otherwise, |word| word.parse().expect("a number"));
    let isolation = match given.first().map_or("snapshot", String::as_str) {
        "snapshot" => IsolationLevel::SnapshotIsolation,
        "serializable" => IsolationLevel::SerializableSnapshotIsolation,
        other => panic!("expected snapshot or serializable, not {other}"),
    };
    let (threads, increments, rounds) = (number(1, 16), number(2, 5_000), number(3, 20));
    let mut lost = 0;
    for round in 1..=rounds {
        let folder = temp_dir().join(format!("surrealkv-lost-update-{}-{round}", process::id()));
        let (committed, count) = counted(&folder, isolation, threads, increments);
        let _ = fs::remove_dir_all(folder);
        println!("{committed} increments were committed, and the counter is {count}");
        lost += committed - count;
    }
    println!("{lost} committed increments are lost");
    process::exit(i32::from(lost > 0));
}

/// How many increments were committed, and where the counter ends.
fn counted(folder: &Path, isolation: IsolationLevel, threads: u64, increments: u64) -> (u64, u64) {
    let mut options = Options::new();
    options.isolation_level = isolation;
    options.dir = folder.to_path_buf();
    let store = Store::new(options).expect("it opens");
    let commits = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while commits.load(Ordering::Relaxed) < increments {
                    if increment(&store) {
                        commits.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let mut transaction = store.begin().expect("it begins");
    let count = counter(transaction.get(b"counter").expect("it reads"));
    drop(transaction);
    store.close().expect("it closes");
    (commits.into_inner(), count)
}

/// One transaction; whether it was committed.
fn increment(store: &Store) -> bool {
    let mut transaction = store.begin().expect("it begins");
    let count = counter(transaction.get(b"counter").expect("it reads"));
    transaction.set(b"counter", &(count + 1).to_be_bytes()).expect("it writes");
    match transaction.commit() {
        Ok(()) => true,
        Err(Error::TransactionReadConflict | Error::TransactionWriteConflict) => false,
        Err(other) => panic!("{other}"),
    }
}

fn counter(held: Option<Vec<u8>>) -> u64 {
    held.map_or(0, |value| u64::from_be_bytes(value.try_into().expect("8 bytes")))
}
