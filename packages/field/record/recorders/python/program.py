"""What the tests run: program.py MODE FILE. With POSTGRES_URL it is PostgreSQL through psycopg, else SQLite in FILE.db.

STALLING_URL leads to the same PostgreSQL through a proxy that does not let COMMIT pass."""

import os
import sqlite3
import sys
import threading
import time

from isolab_recorder import Recorder, is_refusal, outcome_of_commit

POSTGRES = os.environ.get("POSTGRES_URL")
STALLING = os.environ.get("STALLING_URL")
SETUP = [
    "CREATE TABLE IF NOT EXISTS kv (k TEXT PRIMARY KEY, v BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS accounts (id INT PRIMARY KEY, owner TEXT NOT NULL, balance INT NOT NULL)",
    "DELETE FROM kv",
    "DELETE FROM accounts",
    "INSERT INTO kv VALUES ('a', 0), ('b', 0), ('c', 0)",
    "INSERT INTO accounts VALUES (1, 'alice', 100), (2, 'bob', 100)",
]
ACCOUNTS = {1: {"owner": "alice", "balance": 100}, 2: {"owner": "bob", "balance": 100}}


def main():
    mode, path = sys.argv[1:3]
    if mode == "refusals":
        print(" ".join(state for state in sys.argv[2:] if is_refusal(state)))
        return
    if mode != "joined":
        connection = connect(path)
        for statement in SETUP:
            execute(connection, statement)
        connection.commit()
        connection.close()
    recorder = Recorder(path, initial=0, database="PostgreSQL" if POSTGRES else "SQLite")
    for key, row in ACCOUNTS.items():
        recorder.existing("accounts", key, row)
    modes = [serializable, joined, lost_update, killed, lost_commit, failed, values]
    {each.__name__.replace("_", "-"): each for each in modes}[mode](recorder, path)
    recorder.close()


def connect(path, isolation="serializable", url=POSTGRES):
    if url:
        import psycopg

        connection = psycopg.connect(url)
        connection.isolation_level = getattr(psycopg.IsolationLevel, isolation.upper().replace(" ", "_"))
        return connection
    # By default, Python begins a transaction of SQLite only before the first statement that writes.
    return sqlite3.connect(path + ".db", timeout=20, isolation_level=None if isolation == "serializable" else "")


def execute(connection, statement, *values):
    cursor = connection.cursor()
    cursor.execute(statement.replace("?", "%s") if POSTGRES else statement, values)
    return cursor


def run(recorder, connection, work):
    while True:
        try:
            with recorder.transaction(connection, begin=None if POSTGRES else "BEGIN IMMEDIATE") as tx:
                work(tx)
            return
        except Exception as error:
            if POSTGRES is None or outcome_of_commit(error) != "aborted":
                raise


def work_of(connection, client, i):
    """Every third transaction moves money, the others write a value of their own to a key."""
    key, value = "abc"[(client + i) % 3], (client + 1) * 1000 + i

    def write(tx):
        tx.read(key, execute(connection, "SELECT v FROM kv WHERE k = ?", key).fetchone()[0])
        execute(connection, "UPDATE kv SET v = ? WHERE k = ?", value, key)
        tx.write(key, value)

    def transfer(tx):
        for account, change in ((1, -1), (2, 1)):
            owner, balance = execute(
                connection, "SELECT owner, balance FROM accounts WHERE id = ?", account
            ).fetchone()
            tx.read_row("accounts", account, {"owner": owner, "balance": balance})
            execute(connection, "UPDATE accounts SET balance = ? WHERE id = ?", balance + change, account)
            tx.write_row("accounts", account, {"owner": owner, "balance": balance + change})
        if i % 9 == 0:
            raise Changed()

    return transfer if i % 3 == 0 else write


class Changed(Exception):
    """The application changes its mind, and the transaction is rolled back."""


def clients(recorder, path, count, transactions, first=0):
    start = threading.Barrier(count)

    def client(number):
        connection = connect(path)
        start.wait()
        for i in range(transactions):
            time.sleep(0.003)  # who waits for a lock of SQLite looks for it only now and then
            try:
                run(recorder, connection, work_of(connection, first + number, i))
            except Changed:
                pass
        connection.close()

    threads = [threading.Thread(target=client, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    return threads


def serializable(recorder, path):
    for thread in clients(recorder, path, 4, 30):
        thread.join()


def joined(recorder, path):
    """Another process of the same application, in the database as the first one left it."""
    for thread in clients(recorder, path, 2, 30, first=10 * os.getpid()):
        thread.join()


def lost_update(recorder, path):
    one, other = connect(path, "read committed"), connect(path, "read committed")

    def read(tx, connection):
        tx.read("a", execute(connection, "SELECT v FROM kv WHERE k = 'a'").fetchone()[0])

    def write(tx, connection, value):
        execute(connection, "UPDATE kv SET v = ? WHERE k = 'a'", value)
        tx.write("a", value)

    with recorder.transaction(one) as first:
        read(first, one)
        with recorder.transaction(other) as second:
            read(second, other)
            write(second, other, 2)
        write(first, one, 1)
    third = connect(path, "read committed")
    with recorder.transaction(third) as last:
        read(last, third)


def killed(recorder, path):
    """Goes on until it is killed, while one transaction waits for the answer to its COMMIT."""
    threading.Thread(target=stall, args=(recorder, path), daemon=True).start()
    for thread in clients(recorder, path, 2, 1000000):
        thread.join()


def lost_commit(recorder, path):
    """The connection is lost while COMMIT is answered, and the application goes on with another one."""
    try:
        stall(recorder, path)
    except Exception as error:
        print(outcome_of_commit(error), flush=True)
    connection = connect(path)
    run(recorder, connection, work_of(connection, 0, 1))


def failed(recorder, path):
    """A statement fails, and the application goes on to COMMIT, which PostgreSQL answers with ROLLBACK."""
    connection = connect(path)
    try:
        with recorder.transaction(connection, begin=None if POSTGRES else "BEGIN") as tx:
            execute(connection, "UPDATE kv SET v = 9 WHERE k = 'a'")
            tx.write("a", 9)
            try:
                execute(connection, "INSERT INTO kv VALUES ('a', 1)")
            except Exception:
                pass
    except Exception:
        pass
    run(recorder, connection, work_of(connection, 3, 1 if POSTGRES else 4))


def values(recorder, path):
    """Values of all kinds, and some that are refused."""
    tx = recorder.begin(object())
    tx.write('é "quoted"\n\\ \x01\x7f 😀', 2**63 - 1)
    tx.write(-5, "</script>\u2028")
    tx.write("nothing", None)
    tx.write_row("t", "k", {"f": 0.5, "small": 1e-7, "b": True, "n": None, "s": 'é"', "i": -7, "w": 2.0})
    tx.write_row("t", 7, None)
    tx.read_row("t", 8, None)
    tx.committing()
    tx.committed()
    refused = 0
    for wrong in (
        lambda tx: tx.write("x", 0.5),
        lambda tx: tx.write(None, 1),
        lambda tx: tx.write_row("a/b", 1, {}),
        lambda tx: tx.write_row("t", 1, {"a": 2**53}),
        lambda tx: tx.write_row("t", 1, {"a": float("nan")}),
        lambda tx: tx.write_row("t", 1, {"": 1}),
    ):
        tx = recorder.begin(object())
        try:
            wrong(tx)
        except TypeError:
            refused += 1
        tx.aborted()
    print(refused, end="")


def stall(recorder, path):
    connection = connect(path, url=STALLING) if STALLING else StalledSqlite()
    with recorder.transaction(connection, begin=None if STALLING else "BEGIN") as tx:
        execute(connection, "INSERT INTO kv VALUES ('stalled', 1)")
        tx.write("stalled", 1)


class StalledSqlite:
    """Stands in for a connection whose COMMIT is never answered, or is when standard input ends."""

    isolation_level = None

    def cursor(self):
        return self

    def execute(self, statement, values=()):
        if statement == "COMMIT":
            print("COMMIT", flush=True)
            sys.stdin.read()
            raise OSError("the connection is lost")

    def close(self):
        pass


main()
