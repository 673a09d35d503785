"""ZODB: two trees, one with names as keys, one with numbers."""

import os

import transaction
from BTrees.LOBTree import LOBTree
from BTrees.OOBTree import OOBTree
from main import Aborted
from ZODB import DB
from ZODB.FileStorage import FileStorage
from ZODB.MappingStorage import MappingStorage
from ZODB.POSException import ConflictError


class Store:
    def __init__(self, folder, options):
        is_file = options["storage"] == "file"
        storage = FileStorage(os.path.join(folder, "data")) if is_file else MappingStorage()
        # ZODB writes a warning for each connection beyond the size of its pool.
        self.database = DB(storage, pool_size=1000)
        with self.database.transaction() as connection:
            trees = connection.root()
            for kind, make in (("r", OOBTree), ("l", OOBTree), ("w", LOBTree)):
                if kind not in trees:
                    trees[kind] = make()

    def connect(self):
        return Client(self.database)

    def close(self):
        self.database.close()


class Client:
    def __init__(self, database):
        self.manager = transaction.TransactionManager(explicit=True)
        self.connection = database.open(self.manager)
        self.is_open = False

    def begin(self, level):
        self.rollback()
        self.manager.begin()
        self.is_open = True
        self.trees = self.connection.root()

    def get(self, key):
        kind, name = key
        return self.tree(kind).get(name)

    def put(self, key, value):
        kind, name = key
        self.tree(kind)[name] = value

    def range(self, low, high):
        return list(self.tree("w").items(low, high))

    def tree(self, kind):
        return self.trees[kind]

    def commit(self):
        try:
            self.manager.commit()
        except ConflictError as why:
            raise Aborted(why) from why
        self.is_open = False

    def rollback(self):
        if self.is_open:
            self.manager.abort()
        self.is_open = False

    def close(self):
        self.connection.close()
