//go:build bbolt

package main

import (
	"path/filepath"

	"go.etcd.io/bbolt"
)

const title = "bbolt 1.5.0"

var bucket = []byte("isolab")

type bboltStore struct{ db *bbolt.DB }

func open(folder string) (store, error) {
	// Nothing is synced, which is for crashes of machines.
	db, err := bbolt.Open(filepath.Join(folder, "isolab.db"), 0o600, &bbolt.Options{NoSync: true})
	return bboltStore{db}, err
}

// begin waits for whoever writes.
func (s bboltStore) begin(string) (transaction, error) {
	tx, err := s.db.Begin(true)
	if err != nil {
		return nil, err
	}
	if _, err := tx.CreateBucketIfNotExists(bucket); err != nil {
		return nil, err
	}
	return bboltTransaction{tx}, nil
}

func (s bboltStore) close() error { return s.db.Close() }

type bboltTransaction struct{ tx *bbolt.Tx }

func (t bboltTransaction) get(key string) ([]byte, error) {
	value := t.tx.Bucket(bucket).Get([]byte(key))
	return append([]byte(nil), value...), nil
}

func (t bboltTransaction) put(key string, value []byte) error {
	return t.tx.Bucket(bucket).Put([]byte(key), value)
}

func (t bboltTransaction) scan(low, high string) ([]entry, error) {
	found := []entry{}
	cursor := t.tx.Bucket(bucket).Cursor()
	for key, value := cursor.Seek([]byte(low)); key != nil && string(key) <= high; key, value = cursor.Next() {
		found = append(found, entry{string(key), append([]byte(nil), value...)})
	}
	return found, nil
}

func (t bboltTransaction) commit() error { return t.tx.Commit() }

func (t bboltTransaction) discard() { _ = t.tx.Rollback() }
