#[allow(dead_code)] // an application uses a part of it
mod isolab_recorder;

use isolab_recorder::{Options, Recorder};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let recorder = Recorder::new("history-{pid}.jsonl", Options::default())?;
    // What was there before.
    recorder.existing("accounts", 1, &[("owner", "alice".into()), ("balance", 100.into())])?;

    let url = std::env::var("POSTGRES_URL")?;
    let (mut client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await?;
    tokio::spawn(connection);
    let session = recorder.session(); // one for each client
    let mut tx = session.begin(client.build_transaction()).await?;
    let row = tx
        .query_one("SELECT owner, balance FROM accounts WHERE id = 1", &[])
        .await?;
    let (owner, balance): (&str, i32) = (row.get("owner"), row.get("balance"));
    let seen = [("owner", owner.into()), ("balance", balance.into())];
    tx.read_row("accounts", 1, Some(&seen));
    tx.execute("UPDATE accounts SET balance = $1 WHERE id = 1", &[&(balance - 30)])
        .await?;
    let written = [("owner", owner.into()), ("balance", (balance - 30).into())];
    tx.write_row("accounts", 1, Some(&written));
    tx.commit().await?;
    recorder.close()?;
    Ok(())
}
