//go:build badger4

package main

import "github.com/dgraph-io/badger/v4"

const title = "badger 4.9.6"

type (
	badgerDB  = badger.DB
	badgerTxn = badger.Txn
)

var (
	errNotFound = badger.ErrKeyNotFound
	errConflict = badger.ErrConflict
	iteration   = badger.DefaultIteratorOptions
)

func openBadger(folder string) (*badgerDB, error) {
	return badger.Open(badger.DefaultOptions(folder).WithLogger(nil))
}

func commitBadger(txn *badgerTxn) error { return txn.Commit() }
