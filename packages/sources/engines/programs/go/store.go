package main

import "errors"

// store is an open engine.
type store interface {
	begin(isolation string) (transaction, error)
	close() error
}

// transaction is one of the engine's.
type transaction interface {
	// get gives nil where there is nothing.
	get(key string) ([]byte, error)
	put(key string, value []byte) error
	// scan gives what is between two keys, both included.
	scan(low, high string) ([]entry, error)
	commit() error
	// discard undoes what is not committed; it may follow commit.
	discard()
}

type entry struct {
	key   string
	value []byte
}

// aborted says that the engine refused or undid the transaction. At commit, any other error leaves its outcome unknown.
type aborted struct{ error }

func isAborted(err error) bool {
	var refused aborted
	return errors.As(err, &refused)
}
