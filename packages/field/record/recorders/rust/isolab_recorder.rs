//! Records the transactions of an application, for isolab to check. Copy this file; it needs tokio-postgres.
//!
//! ```ignore
//! let recorder = Recorder::new("history-{pid}.jsonl", Options { initial: 0.into(), ..Options::default() })?;
//! let session = recorder.session();                          // one for each client
//! let mut tx = session.begin(client.build_transaction()).await?;
//! let value: i64 = tx.query_one("SELECT …", &[]).await?.get(0); // tx is a tokio_postgres::Transaction
//! tx.read("x", value);
//! …                                                          // your UPDATE
//! tx.write("x", value + 1);
//! tx.commit().await?;                                        // or tx.rollback().await?, or drop it
//! recorder.close()?;
//! ```
//!
//! A transaction is in the file before COMMIT is sent, as one of unknown outcome, and its outcome follows: so whatever ends the
//! process leaves a right history. Each process has a file of its own: {pid} in the path stands for its number.

use std::collections::hash_map::RandomState;
use std::fmt::{self, Display, Write as _};
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write as _};
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use tokio_postgres::{Transaction, TransactionBuilder};

/// A key, or the value of a key or column. Keys and their values are integers, texts and `Null`.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// No value.
    #[default]
    Null,
    Integer(i128),
    Text(String),
    /// Only in columns of rows.
    Number(f64),
    /// Only in columns of rows.
    Bool(bool),
}

macro_rules! integers {
    ($($integer:ty),*) => {
        $(impl From<$integer> for Value {
            fn from(value: $integer) -> Value {
                Value::Integer(value as i128)
            }
        })*
    };
}
integers!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, usize);

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::Text(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::Number(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

/// A row by its columns; `None` is a row that is absent.
pub type Row<'a> = Option<&'a [(&'a str, Value)]>;

#[derive(Default)]
pub struct Options {
    /// What every key holds at first.
    pub initial: Value,
    /// What some keys hold instead.
    pub initial_of: Vec<(Value, Value)>,
    pub database: Option<String>,
}

/// What the database says, or why it could not be recorded; then the transaction is rolled back.
#[derive(Debug)]
pub enum Error {
    Database(tokio_postgres::Error),
    Recorder(io::Error),
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Database(error) => error.fmt(f),
            Error::Recorder(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Error {
        Error::Database(error)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Recorder(error)
    }
}

/// The file of one process. Clones write to the same file.
#[derive(Clone)]
pub struct Recorder(Arc<Shared>);

struct Shared {
    path: String,
    prefix: String,
    started: Instant,
    state: Mutex<State>,
}

struct State {
    file: File,
    broken: Option<String>,
    sessions: usize,
    under_way: usize,
}

impl Recorder {
    /// Begins a file, which must not exist.
    pub fn new(path: &str, options: Options) -> io::Result<Recorder> {
        let pid = std::process::id();
        let path = path.replace("{pid}", &pid.to_string());
        let mut others = Vec::new();
        for (key, value) in &options.initial_of {
            others.push(format!("[{},{}]", key_text(key)?, atom(value)?));
        }
        let database = options
            .database
            .map_or(String::new(), |name| format!("\"database\":{},", text(&name)));
        let header = format!(
            "{{\"isolab\":\"history\",\"version\":2,\"times\":\"nanoseconds\",\"initial\":{},\"initialOf\":[{}],{database}\"recorded\":{{\"by\":\"isolab_recorder.rs\"}}}}",
            atom(&options.initial)?,
            others.join(",")
        );
        let mut opening = OpenOptions::new();
        opening.append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut opening, 0o600);
        let file = opening.open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!(
                    "{path} exists, but a recorder needs a new file; name another one, such as history-{{pid}}.jsonl"
                ),
            ),
            _ => error,
        })?;
        let random = RandomState::new().build_hasher().finish() & 0xff_ffff;
        let recorder = Recorder(Arc::new(Shared {
            path,
            prefix: format!("{pid}-{random:06x}"),
            started: Instant::now(),
            state: Mutex::new(State {
                file,
                broken: None,
                sessions: 0,
                under_way: 0,
            }),
        }));
        recorder.0.write(&header)?;
        Ok(recorder)
    }

    /// A row that was there before the recording. Say so before it is read.
    pub fn existing(&self, table: &str, key: impl Into<Value>, row: &[(&str, Value)]) -> io::Result<()> {
        self.0
            .write(&format!("{{\"rows\":[[{}]]}}", place(table, key.into(), Some(row))?))
    }

    /// A session. Each client, which is a connection, has one of its own.
    pub fn session(&self) -> Session {
        let mut state = self.0.lock();
        state.sessions += 1;
        Session {
            shared: self.0.clone(),
            name: format!("{}.{}", self.0.prefix, state.sessions),
        }
    }

    /// Ends the file. Without this, it is one that was cut off.
    pub fn close(&self) -> io::Result<()> {
        let count = self.0.lock().under_way;
        if count > 0 {
            return Err(io::Error::other(format!(
                "{count} transactions are in progress; end them before close()"
            )));
        }
        self.0.write("{\"isolab\":\"end\"}")?;
        self.0.lock().broken = Some("it is closed".to_owned());
        Ok(())
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn now(&self) -> u128 {
        self.started.elapsed().as_nanos()
    }

    /// Writes a line with one call, which the system keeps when the process is killed.
    fn write(&self, line: &str) -> io::Result<()> {
        let mut state = self.lock();
        if let Some(why) = &state.broken {
            return Err(io::Error::other(format!("{} cannot be written: {why}", self.path)));
        }
        let result = state.file.write_all(format!("{line}\n").as_bytes());
        if let Err(error) = &result {
            state.broken = Some(error.to_string()); // nothing can follow half a line
        }
        result
    }
}

pub struct Session {
    shared: Arc<Shared>,
    name: String,
}

impl Session {
    /// Begins a transaction of the session's client.
    pub async fn begin<'a>(&self, builder: TransactionBuilder<'a>) -> Result<RecordedTransaction<'a>, Error> {
        let record = self.record()?;
        let transaction = builder.start().await?; // if this fails, the record is dropped: it is aborted
        Ok(RecordedTransaction {
            transaction: Some(transaction),
            record,
        })
    }

    /// Begins the record of a transaction that you commit yourself, just before BEGIN is sent.
    pub fn record(&self) -> io::Result<Record> {
        let mut state = self.shared.lock();
        if let Some(why) = &state.broken {
            return Err(io::Error::other(format!(
                "{} cannot be written: {why}",
                self.shared.path
            )));
        }
        state.under_way += 1;
        Ok(Record {
            shared: self.shared.clone(),
            session: self.name.clone(),
            begin: self.shared.now(),
            begun: String::new(),
            operations: Vec::new(),
            progress: Progress::UnderWay,
            mistake: None,
        })
    }
}

/// A transaction of the database and its record. If it is dropped, it is rolled back.
pub struct RecordedTransaction<'a> {
    transaction: Option<Transaction<'a>>,
    record: Record,
}

impl<'a> Deref for RecordedTransaction<'a> {
    type Target = Transaction<'a>;

    fn deref(&self) -> &Transaction<'a> {
        self.transaction
            .as_ref()
            .expect("it is there until commit or rollback, which take it")
    }
}

impl RecordedTransaction<'_> {
    pub fn read(&mut self, key: impl Into<Value>, value: impl Into<Value>) {
        self.record.read(key, value);
    }

    pub fn write(&mut self, key: impl Into<Value>, value: impl Into<Value>) {
        self.record.write(key, value);
    }

    pub fn read_row(&mut self, table: &str, key: impl Into<Value>, row: Row<'_>) {
        self.record.read_row(table, key, row);
    }

    pub fn write_row(&mut self, table: &str, key: impl Into<Value>, row: Row<'_>) {
        self.record.write_row(table, key, row);
    }

    pub async fn commit(mut self) -> Result<(), Error> {
        let Some(transaction) = self.transaction.take() else {
            return Ok(());
        };
        // PostgreSQL answers ROLLBACK to a COMMIT after a statement that failed, and the driver does not say so.
        transaction.batch_execute("SELECT 1").await?;
        self.record.committing()?;
        match transaction.commit().await {
            Ok(()) => self.record.committed(),
            Err(error) => {
                self.record.commit_failed(&error);
                return Err(error.into());
            }
        }
        Ok(())
    }

    pub async fn rollback(mut self) -> Result<(), Error> {
        let Some(transaction) = self.transaction.take() else {
            return Ok(());
        };
        let result = transaction.rollback().await;
        self.record.aborted();
        Ok(result?)
    }
}

#[derive(PartialEq)]
enum Progress {
    UnderWay,
    Committing,
    Over,
}

/// What one transaction read and wrote, in its order, with the values that the application sees.
pub struct Record {
    shared: Arc<Shared>,
    session: String,
    begin: u128,
    /// A field of its line, where it reads first.
    begun: String,
    operations: Vec<String>,
    progress: Progress,
    mistake: Option<io::Error>,
}

impl Record {
    /// A read of a key.
    pub fn read(&mut self, key: impl Into<Value>, value: impl Into<Value>) {
        self.add("r", keyed(key.into(), value.into()));
    }

    pub fn write(&mut self, key: impl Into<Value>, value: impl Into<Value>) {
        self.add("w", keyed(key.into(), value.into()));
    }

    /// A read of a row by its primary key; `None` if there is no such row.
    pub fn read_row(&mut self, table: &str, key: impl Into<Value>, row: Row<'_>) {
        self.add("get", place(table, key.into(), row));
    }

    /// The whole row after an INSERT or UPDATE; `None` after a DELETE.
    pub fn write_row(&mut self, table: &str, key: impl Into<Value>, row: Row<'_>) {
        self.add("put", place(table, key.into(), row));
    }

    /// Call this before COMMIT is sent; from now on the outcome is unknown until something says it. If it fails, something
    /// could not be recorded, and the transaction should be rolled back.
    pub fn committing(&mut self) -> io::Result<()> {
        if let Some(mistake) = self.mistake.take() {
            return Err(mistake);
        }
        if self.progress != Progress::UnderWay {
            return Err(io::Error::other("this transaction is not in progress"));
        }
        self.line("unknown", &self.now("committing"))?;
        self.progress = Progress::Committing;
        Ok(())
    }

    pub fn committed(&mut self) {
        self.end("committed");
    }

    /// It certainly did not commit.
    pub fn aborted(&mut self) {
        self.end("aborted");
    }

    /// What became of a COMMIT that failed: aborted if the database refused it, else unknown.
    pub fn commit_failed(&mut self, error: &tokio_postgres::Error) {
        if error.code().is_some_and(|state| is_refusal(state.code())) {
            self.aborted();
        } else {
            self.over();
        }
    }

    fn add(&mut self, kind: &str, spelled: io::Result<String>) {
        // Where it reads first, the database has taken its snapshot now. A write may not have been sent yet.
        if self.operations.is_empty() && (kind == "r" || kind == "get") {
            self.begun = self.now("begun");
        }
        match spelled {
            Ok(spelled) => self.operations.push(format!("[\"{kind}\",{spelled}]")),
            Err(error) => self.mistake = Some(error),
        }
    }

    /// If it cannot be written, the database has answered all the same, and the file is one that was cut off.
    fn end(&mut self, outcome: &str) {
        let end = self.now("end");
        let _ = match self.progress {
            Progress::UnderWay => self.line(outcome, &end),
            Progress::Committing => self.shared.write(&format!(
                "{{\"outcome\":\"{outcome}\",\"session\":\"{}\"{end}}}",
                self.session
            )),
            Progress::Over => Ok(()),
        };
        self.over();
    }

    fn now(&self, field: &str) -> String {
        format!(",\"{field}\":{}", self.shared.now())
    }

    fn line(&self, status: &str, time: &str) -> io::Result<()> {
        self.shared.write(&format!(
            "{{\"session\":\"{}\",\"status\":\"{status}\",\"begin\":{}{}{time},\"ops\":[{}]}}",
            self.session,
            self.begin,
            self.begun,
            self.operations.join(",")
        ))
    }

    fn over(&mut self) {
        if self.progress != Progress::Over {
            self.progress = Progress::Over;
            self.shared.lock().under_way -= 1;
        }
    }
}

impl Drop for Record {
    /// Without COMMIT it is rolled back; if COMMIT was sent, its outcome stays unknown.
    fn drop(&mut self) {
        if self.progress == Progress::UnderWay {
            self.aborted();
        }
        self.over();
    }
}

/// Whether a SQLSTATE says that COMMIT was refused: a conflict or a constraint, or a statement had failed before.
pub fn is_refusal(state: &str) -> bool {
    ((state.starts_with("23") || state.starts_with("40")) && state != "40003") || state == "25P02"
}

fn keyed(key: Value, value: Value) -> io::Result<String> {
    Ok(format!("{},{}", key_text(&key)?, atom(&value)?))
}

fn place(table: &str, key: Value, row: Row<'_>) -> io::Result<String> {
    if table.is_empty() || table.contains('/') {
        return Err(unfit(format!(
            "a table is named {table:?}; expected a text without \"/\""
        )));
    }
    let mut place = format!("{},{},", text(table), key_text(&key)?);
    let Some(row) = row else {
        return Ok(place + "null");
    };
    let mut columns = Vec::new();
    for (column, value) in row {
        let is_short = match value {
            Value::Integer(integer) => integer.unsigned_abs() < 1 << 53,
            Value::Number(number) => {
                number.is_finite() && (number.fract() != 0.0 || number.abs() < (1u64 << 53) as f64)
            }
            _ => true,
        };
        if column.is_empty() || !is_short {
            return Err(unfit(format!(
                "column {column:?} is {value:?}; expected a number of at most 53 bits, or a text"
            )));
        }
        let spelled = match value {
            Value::Number(number) => format!("{number}"),
            Value::Bool(flag) => flag.to_string(),
            other => atom(other)?,
        };
        columns.push(format!("{}:{spelled}", text(column)));
    }
    let _ = write!(place, "{{{}}}", columns.join(","));
    Ok(place)
}

fn key_text(key: &Value) -> io::Result<String> {
    match key {
        Value::Null => Err(unfit("a key is Null; expected a text or an integer".to_owned())),
        other => atom(other),
    }
}

fn atom(value: &Value) -> io::Result<String> {
    match value {
        Value::Null => Ok("null".to_owned()),
        Value::Integer(integer) => Ok(integer.to_string()),
        Value::Text(value) => Ok(text(value)),
        other => Err(unfit(format!(
            "a key or value is {other:?}; expected a text, an integer or Null"
        ))),
    }
}

fn unfit(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

fn text(value: &str) -> String {
    let mut json = String::from("\"");
    for character in value.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            '\0'..='\x1f' => {
                let _ = write!(json, "\\u{:04x}", character as u32);
            }
            _ => json.push(character),
        }
    }
    json + "\""
}
