//go:build badger1 || badger4

package main

import "errors"

type badgerStore struct{ db *badgerDB }

func open(folder string) (store, error) {
	db, err := openBadger(folder)
	return badgerStore{db}, err
}

func (s badgerStore) begin(string) (transaction, error) {
	return badgerTransaction{s.db.NewTransaction(true)}, nil
}

func (s badgerStore) close() error { return s.db.Close() }

type badgerTransaction struct{ txn *badgerTxn }

func (t badgerTransaction) get(key string) ([]byte, error) {
	item, err := t.txn.Get([]byte(key))
	if errors.Is(err, errNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return item.ValueCopy(nil)
}

func (t badgerTransaction) put(key string, value []byte) error {
	return t.txn.Set([]byte(key), value)
}

func (t badgerTransaction) scan(low, high string) ([]entry, error) {
	found := []entry{}
	rows := t.txn.NewIterator(iteration)
	defer rows.Close()
	for rows.Seek([]byte(low)); rows.Valid() && string(rows.Item().Key()) <= high; rows.Next() {
		value, err := rows.Item().ValueCopy(nil)
		if err != nil {
			return nil, err
		}
		found = append(found, entry{string(rows.Item().KeyCopy(nil)), value})
	}
	return found, nil
}

func (t badgerTransaction) commit() error {
	err := commitBadger(t.txn)
	if errors.Is(err, errConflict) {
		return aborted{err}
	}
	return err
}

func (t badgerTransaction) discard() { t.txn.Discard() }
