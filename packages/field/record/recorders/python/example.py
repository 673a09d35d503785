import sqlite3

from isolab_recorder import Recorder

recorder = Recorder("history-{pid}.jsonl")
recorder.existing("accounts", 1, {"owner": "alice", "balance": 100})  # content from before the recording

connection = sqlite3.connect("bank.db")  # or psycopg.connect(…), or any other DB-API connection
with recorder.transaction(connection) as tx:
    cursor = connection.execute("SELECT owner, balance FROM accounts WHERE id = 1")
    owner, balance = cursor.fetchone()
    tx.read_row("accounts", 1, {"owner": owner, "balance": balance})
    connection.execute("UPDATE accounts SET balance = ? WHERE id = 1", [balance - 30])
    tx.write_row("accounts", 1, {"owner": owner, "balance": balance - 30})
connection.close()
recorder.close()
