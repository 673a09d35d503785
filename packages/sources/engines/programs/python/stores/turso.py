"""Turso: rows with numbers in one table, keys with names in another."""

import os

import turso
from main import Aborted

ABORTS = ("conflict", "snapshot is stale", "database is busy", "database is locked", "commit dependency aborted")
CONFLICT = "INSERT INTO {} VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v"


class Store:
    def __init__(self, folder, options):
        self.path = os.path.join(folder, "data")
        self.is_often = options["gc"] == "often"
        first = self.connect().connection
        first.execute("CREATE TABLE IF NOT EXISTS numbers (k INTEGER PRIMARY KEY, v TEXT)")
        first.execute("CREATE TABLE IF NOT EXISTS names (k TEXT PRIMARY KEY, v TEXT)")
        first.close()

    def connect(self):
        connection = turso.connect(self.path, isolation_level=None)
        connection.execute("PRAGMA journal_mode = 'mvcc'").fetchall()
        if self.is_often:
            connection.execute("PRAGMA mvcc_gc_threshold = 1")
            connection.execute("PRAGMA mvcc_checkpoint_threshold = 4096")
        return Client(connection)

    def close(self):
        pass


class Client:
    def __init__(self, connection):
        self.connection = connection

    def run(self, sql, *values):
        try:
            return self.connection.execute(sql, values).fetchall()
        except turso.Error as why:
            if any(word in str(why).lower() for word in ABORTS):
                raise Aborted(why) from why
            raise

    def begin(self, level):
        self.rollback()
        self.run("BEGIN CONCURRENT")

    def get(self, key):
        found = self.run(f"SELECT v FROM {table(key)} WHERE k = ?", name(key))
        return found[0][0] if found else None

    def put(self, key, value):
        self.run(CONFLICT.format(table(key)), name(key), value)

    def range(self, low, high):
        return self.run("SELECT k, v FROM numbers WHERE k BETWEEN ? AND ?", low, high)

    def commit(self):
        self.run("COMMIT")

    def rollback(self):
        if self.connection.in_transaction:
            self.run("ROLLBACK")

    def close(self):
        self.connection.close()


def table(key):
    return "numbers" if key[0] == "w" else "names"


def name(key):
    return key[1] if key[0] == "w" else "".join(key)
