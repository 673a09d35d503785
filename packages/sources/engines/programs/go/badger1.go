//go:build badger1

package main

import "github.com/dgraph-io/badger"

const title = "badger 1.5.3"

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
	options := badger.DefaultOptions
	options.Dir, options.ValueDir, options.SyncWrites = folder, folder, false
	return badger.Open(options)
}

func commitBadger(txn *badgerTxn) error { return txn.Commit(nil) }
