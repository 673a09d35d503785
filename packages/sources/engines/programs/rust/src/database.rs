//! The engine that all sessions use: opened when it is needed, and opened anew for another level or for empty tables.

use crate::store::{error, Answer, Open, Store};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

pub struct Database {
    folder: PathBuf,
    open: Open,
    current: Mutex<Current>,
    /// Whether keys stand for rows, which are read and written then.
    holds_rows: AtomicBool,
}

struct Current {
    /// Emptied tables are a new folder; the greatest number holds what is current, also after a crash.
    generation: u32,
    store: Option<Arc<dyn Store>>,
}

impl Database {
    pub fn new(folder: PathBuf, open: Open) -> Self {
        let generations = fs::read_dir(&folder).into_iter().flatten().flatten();
        let numbers = generations.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let generation = numbers.max().unwrap_or(0);
        Database { folder, open, current: Mutex::new(Current { generation, store: None }), holds_rows: AtomicBool::new(false) }
    }

    pub fn holds_rows(&self) -> bool {
        self.holds_rows.load(Ordering::SeqCst)
    }

    pub fn prepare(&self, data: &str, keeps: bool) {
        self.holds_rows.store(data == "rows", Ordering::SeqCst);
        let mut current = self.current.lock().unwrap();
        if !keeps {
            current.store = None;
            current.generation += 1;
        }
    }

    /// The engine, ready for transactions of this level.
    pub fn at(&self, isolation: &str) -> Answer<Arc<dyn Store>> {
        let mut current = self.current.lock().unwrap();
        if let Some(store) = &current.store {
            if store.serves(isolation) {
                return Ok(store.clone());
            }
            if Arc::strong_count(store) > 1 {
                return Err(error("sessions of another isolation level are open, and the engine has one for all"));
            }
        }
        current.store = None; // closed before it is opened anew
        let folder = self.folder.join(current.generation.to_string());
        fs::create_dir_all(&folder).map_err(error)?;
        let store = (self.open)(&folder, isolation)?;
        current.store = Some(store.clone());
        Ok(store)
    }
}
