// Command badger-phantom shows a write skew of badger 4.9.6, whose transactions are documented to be serializable: two
// transactions each look for rows with an iterator, find none, and insert one. In any serial order the second one would
// have found the first one's row. Both commit, because an iterator notes the keys that it finds, not the range it looked at.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/dgraph-io/badger/v4"
)

func main() {
	db := must(badger.Open(badger.DefaultOptions("").WithInMemory(true).WithLogger(nil)))
	defer db.Close()
	one, other := db.NewTransaction(true), db.NewTransaction(true)
	fmt.Printf("T1 finds %d rows, T2 finds %d rows\n", rows(one), rows(other))
	check(one.Set([]byte("row/1"), []byte("by T1")))
	check(other.Set([]byte("row/2"), []byte("by T2")))
	fmt.Println("T1 commits:", said(one.Commit()))
	err := other.Commit()
	fmt.Println("T2 commits:", said(err))
	if errors.Is(err, badger.ErrConflict) {
		return
	}
	after := db.NewTransaction(false)
	defer after.Discard()
	fmt.Printf("%d rows, each inserted by a transaction that found none\n", rows(after))
	os.Exit(1)
}

func rows(txn *badger.Txn) int {
	found := 0
	all := txn.NewIterator(badger.DefaultIteratorOptions)
	defer all.Close()
	for all.Seek([]byte("row/")); all.ValidForPrefix([]byte("row/")); all.Next() {
		_ = all.Item()
		found++
	}
	return found
}

func said(err error) string {
	if err == nil {
		return "yes"
	}
	return err.Error()
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
