//! Registers, lists and rows as keys and values. A list is text, a row its value and whether it is a tombstone.

use crate::store::{error, Answer, Transaction};
use serde_json::{json, Value};

pub fn answer(transaction: &mut dyn Transaction, request: &Value, holds_rows: bool) -> Answer<Value> {
    let kind = request["kind"].as_str().unwrap_or_default();
    match kind {
        "read" => Ok(json!({ "value": read(transaction, request, holds_rows)? })),
        "write" => write(transaction, request, holds_rows),
        "compare-and-set" => {
            let holds = read(transaction, request, holds_rows)? == request["expected"];
            if holds {
                write(transaction, request, holds_rows)?;
            }
            Ok(json!({ "value": holds }))
        }
        "read-list" => {
            let list = text(transaction.get(&named(b'l', &request["key"]))?)?;
            Ok(json!({ "value": list.split(',').filter(|one| !one.is_empty()).map(number).collect::<Answer<Vec<_>>>()? }))
        }
        "append" => {
            let key = named(b'l', &request["key"]);
            let list = text(transaction.get(&key)?)?;
            let separator = if list.is_empty() { "" } else { "," };
            transaction.put(&key, format!("{list}{separator}{}", request["value"]).as_bytes())?;
            Ok(json!({}))
        }
        "insert" | "delete" => {
            let key = numbered(&request["key"])?;
            let found = transaction.get(&key)?.map(|value| row(&key, &value)).transpose()?;
            let is_live = found.as_ref().is_some_and(|row| row["dead"] == false);
            if is_live != (kind == "insert") {
                transaction.put(&key, row_of(request, kind).as_bytes())?;
            }
            Ok(json!({ "value": found.into_iter().collect::<Vec<_>>() }))
        }
        "range" => {
            let found = transaction.range(&numbered(&request["low"])?, &numbered(&request["high"])?)?;
            let rows = found.iter().map(|(key, value)| row(key, value)).collect::<Answer<Vec<_>>>()?;
            Ok(json!({ "value": rows }))
        }
        _ => Err(error(format!("{kind} is not done here"))),
    }
}

fn read(transaction: &mut dyn Transaction, request: &Value, holds_rows: bool) -> Answer<Value> {
    if holds_rows {
        let key = numbered(&request["key"])?;
        let found = transaction.get(&key)?;
        return found.map_or(Ok(Value::Null), |value| Ok(row(&key, &value)?["value"].take()));
    }
    let found = transaction.get(&named(b'r', &request["key"]))?;
    found.map_or(Ok(Value::Null), |value| number(&text(Some(value))?))
}

fn write(transaction: &mut dyn Transaction, request: &Value, holds_rows: bool) -> Answer<Value> {
    if holds_rows {
        transaction.put(&numbered(&request["key"])?, row_of(request, "insert").as_bytes())?;
        return Ok(json!({}));
    }
    transaction.put(&named(b'r', &request["key"]), request["value"].to_string().as_bytes())?;
    Ok(json!({}))
}

/// A key that is a number or a text, apart from those of other kinds of data.
fn named(kind: u8, key: &Value) -> Vec<u8> {
    let name = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
    [&[kind], name.as_bytes()].concat()
}

/// A key that is a number, as bytes in the order of numbers.
fn numbered(key: &Value) -> Answer<Vec<u8>> {
    let number = key.as_i64().ok_or_else(|| error(format!("the key {key} is no whole number")))?;
    Ok([&b"w"[..], &(number ^ i64::MIN).to_be_bytes()].concat())
}

fn row_of(request: &Value, kind: &str) -> String {
    format!("{} {kind}", request["value"])
}

fn row(key: &[u8], value: &[u8]) -> Answer<Value> {
    let bytes = key[1..].try_into().map_err(error)?;
    let held = text(Some(value.to_vec()))?;
    let (value, kind) = held.split_once(' ').ok_or_else(|| error("a row is cut off"))?;
    let key = i64::from_be_bytes(bytes) ^ i64::MIN;
    Ok(json!({ "key": key, "value": number(value)?, "dead": kind == "delete" }))
}

fn text(value: Option<Vec<u8>>) -> Answer<String> {
    String::from_utf8(value.unwrap_or_default()).map_err(error)
}

fn number(text: &str) -> Answer<Value> {
    text.parse::<i64>().map(Value::from).map_err(error)
}
