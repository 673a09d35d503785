//! Serves all sessions of one embedded engine, a line of JSON for each request and each answer, as isolab's README of the
//! collector says under "One process for all sessions". Called with a folder of its own. The engine is a feature of the build.

mod database;
mod requests;
mod session;
mod store;
mod stores;

use serde_json::{json, Value};
use std::collections::HashMap;
use std::io::{stdin, stdout, BufRead, Write};
use std::sync::mpsc::{channel, Sender};
use std::sync::Arc;
use std::thread;

fn main() {
    // A session that panics would leave its request open.
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("{panic}");
        std::process::exit(101);
    }));
    let folder = std::env::args().nth(1).expect("a folder is needed");
    let database = Arc::new(database::Database::new(folder.into(), stores::OPEN));
    let mut sessions: HashMap<u64, Sender<Value>> = HashMap::new();
    for line in stdin().lock().lines() {
        let request: Value = match line.map(|line| serde_json::from_str(&line)) {
            Ok(Ok(request)) => request,
            _ => break,
        };
        if request["hello"] == 1 {
            let mut greeting = json!({ "database": stores::TITLE, "sessions": "shared" });
            if stores::VOLATILE {
                greeting["volatile"] = json!(true);
            }
            say(&request, greeting);
        } else if let Some(data) = request["prepare"].as_str() {
            database.prepare(data, request["keep"] == true);
            say(&request, json!({}));
        } else {
            let number = request["session"].as_u64().unwrap_or_default();
            let is_last = request["close"] == true;
            let sender = sessions.entry(number).or_insert_with(|| start(&database));
            let _ = sender.send(request);
            if is_last {
                sessions.remove(&number);
            }
        }
    }
    std::process::exit(0); // whatever a session waits for
}

fn start(database: &Arc<database::Database>) -> Sender<Value> {
    let (sender, requests) = channel();
    let database = database.clone();
    thread::spawn(move || session::run(&database, &requests, say));
    sender
}

fn say(request: &Value, mut answer: Value) {
    if request["id"].is_u64() {
        answer["id"] = request["id"].clone();
    }
    let mut out = stdout().lock();
    let _ = writeln!(out, "{answer}").and_then(|()| out.flush());
}
