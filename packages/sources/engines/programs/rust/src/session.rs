//! One client, in a thread of its own.

use crate::database::Database;
use crate::requests::answer;
use crate::store::{error, Answer, Failure, Store, Transaction};
use serde_json::{json, Value};
use std::sync::mpsc::Receiver;
use std::sync::Arc;

/// What goes before it is dropped first: the transaction, then the engine.
#[derive(Default)]
struct Session {
    transaction: Option<Box<dyn Transaction>>,
    store: Option<Arc<dyn Store>>,
}

pub fn run(database: &Database, requests: &Receiver<Value>, say: impl Fn(&Value, Value)) {
    let mut session = Session::default();
    for request in requests {
        if request["close"] == true {
            drop(session);
            say(&request, json!({}));
            return;
        }
        say(&request, said(session.done(database, &request)));
    }
}

/// A result as isolab's protocol has it.
pub fn said(result: Answer<Value>) -> Value {
    match result {
        Ok(value) => value,
        Err(Failure::Aborted(why)) => json!({ "aborted": why }),
        Err(Failure::Error(why)) => json!({ "error": why }),
    }
}

impl Session {
    fn done(&mut self, database: &Database, request: &Value) -> Answer<Value> {
        if let Some(isolation) = request["begin"].as_str() {
            self.transaction = None;
            self.store = None; // it may be another one by now
            let store = database.at(isolation)?;
            self.transaction = Some(store.begin(isolation)?);
            self.store = Some(store);
        } else if request["commit"] == true {
            let transaction = self.transaction.take();
            transaction.ok_or_else(|| error("no transaction has begun"))?.commit()?;
        } else if request["rollback"] == true {
            self.transaction = None;
        } else {
            let transaction = self.transaction.as_mut();
            return answer(&mut **transaction.ok_or_else(|| error("no transaction has begun"))?, request, database.holds_rows());
        }
        if self.transaction.is_none() {
            self.store = None;
        }
        Ok(json!({}))
    }
}
