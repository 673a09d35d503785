//! What the tests run: program MODE FILE. POSTGRES_URL is the database; STALLING_URL leads to the same one through a proxy that
//! does not let COMMIT pass.

#[allow(dead_code)] // an application uses a part of it
mod isolab_recorder;

use isolab_recorder::{is_refusal, Error, Options, Record, RecordedTransaction, Recorder, Value};
use tokio_postgres::{Client, IsolationLevel, NoTls};

const SETUP: &str = "
    CREATE TABLE IF NOT EXISTS kv (k TEXT PRIMARY KEY, v BIGINT NOT NULL);
    CREATE TABLE IF NOT EXISTS accounts (id INT PRIMARY KEY, owner TEXT NOT NULL, balance INT NOT NULL);
    TRUNCATE kv, accounts;
    INSERT INTO kv VALUES ('a', 0), ('b', 0), ('c', 0);
    INSERT INTO accounts VALUES (1, 'alice', 100), (2, 'bob', 100)";

type Result<T> = std::result::Result<T, Error>;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (mode, rest) = arguments.split_first().expect("a mode");
    if mode == "refusals" {
        let refused: Vec<&str> = rest
            .iter()
            .map(String::as_str)
            .filter(|state| is_refusal(state))
            .collect();
        print!("{}", refused.join(" "));
        return Ok(());
    }
    connect("POSTGRES_URL").await?.batch_execute(SETUP).await?;
    let options = Options {
        initial: 0.into(),
        database: Some("PostgreSQL".to_owned()),
        ..Options::default()
    };
    let recorder = Recorder::new(&rest[0], options)?;
    for (id, owner) in [(1, "alice"), (2, "bob")] {
        recorder.existing("accounts", id, &[("owner", owner.into()), ("balance", 100.into())])?;
    }
    match mode.as_str() {
        "serializable" => clients(&recorder, 4, 30).await?,
        "lost-update" => lost_update(&recorder).await?,
        "failed" => failed(&recorder).await?,
        "values" => values(&recorder)?,
        // Goes on until it is killed, while one transaction waits for the answer to its COMMIT.
        "killed" => {
            let stalling = recorder.clone();
            tokio::spawn(async move { stall(&stalling).await });
            clients(&recorder, 2, 1_000_000).await?;
        }
        // The connection is lost while COMMIT is answered, and the application goes on with another one.
        "lost-commit" => {
            match stall(&recorder).await {
                Err(error) if is_aborted(&error) => print!("aborted"),
                _ => print!("unknown"),
            }
            client(recorder.clone(), connect("POSTGRES_URL").await?, 0, 1, 2).await?;
        }
        _ => panic!("no mode {mode}"),
    }
    Ok(recorder.close()?)
}

async fn connect(name: &str) -> Result<Client> {
    let url = std::env::var(name).expect(name);
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

fn is_aborted(error: &Error) -> bool {
    match error {
        Error::Database(error) => error.code().is_some_and(|state| is_refusal(state.code())),
        Error::Recorder(_) => false,
    }
}

async fn clients(recorder: &Recorder, count: i64, transactions: i64) -> Result<()> {
    let mut connections = Vec::new();
    for _ in 0..count {
        connections.push(connect("POSTGRES_URL").await?);
    }
    let clients: Vec<_> = (0..)
        .zip(connections)
        .map(|(number, connection)| tokio::spawn(client(recorder.clone(), connection, number, 0, transactions)))
        .collect();
    for client in clients {
        client.await.expect("a client that ends")?;
    }
    Ok(())
}

async fn client(recorder: Recorder, mut client: Client, number: i64, from: i64, to: i64) -> Result<()> {
    let session = recorder.session();
    let mut i = from;
    while i < to {
        let builder = client.build_transaction().isolation_level(IsolationLevel::Serializable);
        let mut tx = session.begin(builder).await?;
        let result = match work(&mut tx, number, i).await {
            Ok(true) => tx.commit().await,
            Ok(false) => tx.rollback().await,
            Err(error) => Err(error), // dropped, and so rolled back
        };
        match result {
            Ok(()) => i += 1,
            Err(error) if is_aborted(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Every third transaction moves money, the others write a value of their own to a key. False if it changes its mind.
async fn work(tx: &mut RecordedTransaction<'_>, number: i64, i: i64) -> Result<bool> {
    if i % 3 != 0 {
        let key = ["a", "b", "c"][((number + i) % 3) as usize];
        read(tx, key).await?;
        write(tx, key, (number + 1) * 1000 + i).await?;
        return Ok(true);
    }
    for (id, change) in [(1, -1), (2, 1)] {
        let row = tx
            .query_one("SELECT owner, balance FROM accounts WHERE id = $1", &[&id])
            .await?;
        let (owner, balance): (&str, i32) = (row.get(0), row.get(1));
        tx.read_row(
            "accounts",
            id,
            Some(&[("owner", owner.into()), ("balance", balance.into())]),
        );
        let changed = balance + change;
        tx.execute("UPDATE accounts SET balance = $1 WHERE id = $2", &[&changed, &id])
            .await?;
        tx.write_row(
            "accounts",
            id,
            Some(&[("owner", owner.into()), ("balance", changed.into())]),
        );
    }
    Ok(i % 9 != 0)
}

async fn read(tx: &mut RecordedTransaction<'_>, key: &str) -> Result<()> {
    let value: i64 = tx.query_one("SELECT v FROM kv WHERE k = $1", &[&key]).await?.get(0);
    tx.read(key, value);
    Ok(())
}

async fn write(tx: &mut RecordedTransaction<'_>, key: &str, value: i64) -> Result<()> {
    tx.execute("UPDATE kv SET v = $1 WHERE k = $2", &[&value, &key]).await?;
    tx.write(key, value);
    Ok(())
}

async fn lost_update(recorder: &Recorder) -> Result<()> {
    let (mut one, mut other, mut third) = (
        connect("POSTGRES_URL").await?,
        connect("POSTGRES_URL").await?,
        connect("POSTGRES_URL").await?,
    );
    let mut first = recorder.session().begin(one.build_transaction()).await?;
    read(&mut first, "a").await?;
    let mut second = recorder.session().begin(other.build_transaction()).await?;
    read(&mut second, "a").await?;
    write(&mut second, "a", 2).await?;
    second.commit().await?;
    write(&mut first, "a", 1).await?;
    first.commit().await?;
    let mut last = recorder.session().begin(third.build_transaction()).await?;
    read(&mut last, "a").await?;
    last.commit().await
}

/// A statement fails, and the application goes on to COMMIT, which PostgreSQL answers with ROLLBACK.
async fn failed(recorder: &Recorder) -> Result<()> {
    let mut connection = connect("POSTGRES_URL").await?;
    let session = recorder.session();
    let mut tx = session.begin(connection.build_transaction()).await?;
    write(&mut tx, "a", 9).await?;
    let _ = tx.execute("INSERT INTO kv VALUES ('a', 1)", &[]).await;
    assert!(tx.commit().await.is_err());
    client(recorder.clone(), connection, 2, 1, 2).await
}

/// Values of all kinds, and some that are refused.
fn values(recorder: &Recorder) -> Result<()> {
    let session = recorder.session();
    let mut tx = session.record()?;
    tx.write("é \"quoted\"\n\\ \u{1}\u{7f} 😀", i64::MAX);
    tx.write(-5, "</script>\u{2028}");
    tx.write("nothing", Value::Null);
    let row = [
        ("f", 0.5.into()),
        ("small", 1e-7.into()),
        ("b", true.into()),
        ("n", Value::Null),
        ("s", "é\"".into()),
        ("i", (-7).into()),
        ("w", 2.0.into()),
    ];
    tx.write_row("t", "k", Some(&row));
    tx.write_row("t", 7, None);
    tx.read_row("t", 8, None);
    tx.committing()?;
    tx.committed();
    let wrong: [fn(&mut Record); 6] = [
        |tx| tx.write("x", 0.5),
        |tx| tx.write(Value::Null, 1),
        |tx| tx.write_row("a/b", 1, Some(&[])),
        |tx| tx.write_row("t", 1, Some(&[("a", (1i64 << 53).into())])),
        |tx| tx.write_row("t", 1, Some(&[("a", f64::NAN.into())])),
        |tx| tx.write_row("t", 1, Some(&[("", 1.into())])),
    ];
    let mut refused = 0;
    for each in wrong {
        let mut tx = session.record()?;
        each(&mut tx);
        refused += usize::from(tx.committing().is_err());
    }
    print!("{refused}");
    Ok(())
}

async fn stall(recorder: &Recorder) -> Result<()> {
    let mut client = connect("STALLING_URL").await?;
    let mut tx = recorder.session().begin(client.build_transaction()).await?;
    tx.execute("INSERT INTO kv VALUES ('stalled', 1)", &[]).await?;
    tx.write("stalled", 1);
    tx.commit().await
}
