"""LMDB: one transaction at a time writes, in the thread that began it."""

import lmdb


class Store:
    def __init__(self, folder, options):
        self.environment = lmdb.open(folder, map_size=1 << 28, sync=False, max_dbs=0)

    def connect(self):
        return Client(self.environment)

    def close(self):
        self.environment.close()


class Client:
    def __init__(self, environment):
        self.environment = environment
        self.transaction = None

    def begin(self, level):
        self.rollback()
        self.transaction = self.environment.begin(write=True)

    def get(self, key):
        held = self.transaction.get(bytes_of(key))
        return None if held is None else held.decode()

    def put(self, key, value):
        self.transaction.put(bytes_of(key), value.encode())

    def range(self, low, high):
        found = []
        rows = self.transaction.cursor()
        is_there = rows.set_range(bytes_of(("w", low)))
        while is_there and rows.key() <= bytes_of(("w", high)):
            found.append((int.from_bytes(rows.key()[1:], "big") - OFFSET, rows.value().decode()))
            is_there = rows.next()
        return found

    def commit(self):
        transaction, self.transaction = self.transaction, None
        transaction.commit()

    def rollback(self):
        if self.transaction is not None:
            self.transaction.abort()
        self.transaction = None

    def close(self):
        pass


OFFSET = 1 << 63


def bytes_of(key):
    """Returns bytes in the order of the keys."""
    kind, name = key
    return kind.encode() + (name.encode() if kind != "w" else (name + OFFSET).to_bytes(8, "big"))
