// What the tests run: program MODE FILE. POSTGRES_URL is the database; STALLING_URL leads to the same one through a proxy that
// does not let COMMIT pass.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"isolabrecorder"

	_ "github.com/lib/pq"
)

const setup = `
	CREATE TABLE IF NOT EXISTS kv (k TEXT PRIMARY KEY, v BIGINT NOT NULL);
	CREATE TABLE IF NOT EXISTS accounts (id INT PRIMARY KEY, owner TEXT NOT NULL, balance INT NOT NULL);
	TRUNCATE kv, accounts;
	INSERT INTO kv VALUES ('a', 0), ('b', 0), ('c', 0);
	INSERT INTO accounts VALUES (1, 'alice', 100), (2, 'bob', 100)`

var (
	ctx          = context.Background()
	serializable = &sql.TxOptions{Isolation: sql.LevelSerializable}
	errChanged   = errors.New("the application changes its mind")
)

func main() {
	mode, rest := os.Args[1], os.Args[2:]
	if mode == "refusals" {
		refused := []string{}
		for _, state := range rest {
			if isolabrecorder.IsRefusal(state) {
				refused = append(refused, state)
			}
		}
		fmt.Print(strings.Join(refused, " "))
		return
	}
	db := connect("POSTGRES_URL")
	_, err := db.Exec(setup)
	insist(err)
	recorder, err := isolabrecorder.New(rest[0], isolabrecorder.Options{Initial: 0, Database: "PostgreSQL"})
	insist(err)
	insist(recorder.Existing("accounts", 1, isolabrecorder.Row{"owner": "alice", "balance": 100}))
	insist(recorder.Existing("accounts", 2, isolabrecorder.Row{"owner": "bob", "balance": 100}))
	switch mode {
	case "serializable":
		clients(recorder, db, 4, 30)
	case "lost-update":
		lostUpdate(recorder, db)
	case "failed":
		failed(recorder, db)
	case "values":
		values(recorder)
	case "killed": // goes on until it is killed, while one transaction waits for the answer to its COMMIT
		go func() { _ = stall(recorder) }()
		clients(recorder, db, 2, 1_000_000)
	case "lost-commit": // the connection is lost while COMMIT is answered, and the application goes on with another one
		if err := stall(recorder); isolabrecorder.IsRefusal(isolabrecorder.SQLState(err)) {
			fmt.Print("aborted")
		} else {
			fmt.Print("unknown")
		}
		client(recorder, db, 0, 1, 2)
	}
	insist(recorder.Close())
}

func connect(name string) *sql.DB {
	db, err := sql.Open("postgres", os.Getenv(name)+"?sslmode=disable")
	insist(err)
	return db
}

func insist(err error) {
	if err != nil {
		panic(err)
	}
}

func clients(recorder *isolabrecorder.Recorder, db *sql.DB, count, transactions int) {
	done := make(chan bool)
	pools := make([]*sql.DB, count)
	for number := range pools {
		pools[number] = connect("POSTGRES_URL")
		pools[number].SetMaxOpenConns(1) // a session
		insist(pools[number].Ping())
	}
	for number, pool := range pools {
		go func(pool *sql.DB, number int) {
			client(recorder, pool, number, 0, transactions)
			done <- true
		}(pool, number)
	}
	for range pools {
		<-done
	}
}

func client(recorder *isolabrecorder.Recorder, db *sql.DB, number, from, to int) {
	for i := from; i < to; {
		err := recorder.Transaction(ctx, db, serializable, func(tx *isolabrecorder.Tx) error { return work(tx, number, i) })
		if err == nil || errors.Is(err, errChanged) {
			i++
		} else if !isolabrecorder.IsRefusal(isolabrecorder.SQLState(err)) {
			panic(err)
		}
	}
}

// Every third transaction moves money, the others write a value of their own to a key.
func work(tx *isolabrecorder.Tx, number, i int) error {
	if i%3 != 0 {
		key := string("abc"[(number+i)%3])
		if err := read(tx, key); err != nil {
			return err
		}
		return write(tx, key, (number+1)*1000+i)
	}
	for id, change := range map[int]int{1: -1, 2: 1} {
		var owner string
		var balance int
		err := tx.QueryRow("SELECT owner, balance FROM accounts WHERE id = $1", id).Scan(&owner, &balance)
		if err != nil {
			return err
		}
		tx.ReadRow("accounts", id, isolabrecorder.Row{"owner": owner, "balance": balance})
		if _, err = tx.Exec("UPDATE accounts SET balance = $1 WHERE id = $2", balance+change, id); err != nil {
			return err
		}
		tx.WriteRow("accounts", id, isolabrecorder.Row{"owner": owner, "balance": balance + change})
	}
	if i%9 == 0 {
		return errChanged
	}
	return nil
}

func read(tx *isolabrecorder.Tx, key string) error {
	var value int64
	if err := tx.QueryRow("SELECT v FROM kv WHERE k = $1", key).Scan(&value); err != nil {
		return err
	}
	tx.Read(key, value)
	return nil
}

func write(tx *isolabrecorder.Tx, key string, value int) error {
	if _, err := tx.Exec("UPDATE kv SET v = $1 WHERE k = $2", value, key); err != nil {
		return err
	}
	tx.Write(key, value)
	return nil
}

func lostUpdate(recorder *isolabrecorder.Recorder, db *sql.DB) {
	insist(recorder.Transaction(ctx, db, nil, func(first *isolabrecorder.Tx) error {
		insist(read(first, "a"))
		insist(recorder.Transaction(ctx, db, nil, func(second *isolabrecorder.Tx) error {
			insist(read(second, "a"))
			return write(second, "a", 2)
		}))
		return write(first, "a", 1)
	}))
	insist(recorder.Transaction(ctx, connect("POSTGRES_URL"), nil, func(last *isolabrecorder.Tx) error {
		return read(last, "a")
	}))
}

// A statement fails, and the application goes on to COMMIT, which PostgreSQL answers with ROLLBACK.
func failed(recorder *isolabrecorder.Recorder, db *sql.DB) {
	_ = recorder.Transaction(ctx, db, nil, func(tx *isolabrecorder.Tx) error {
		insist(write(tx, "a", 9))
		_, _ = tx.Exec("INSERT INTO kv VALUES ('a', 1)")
		return nil
	})
	client(recorder, db, 2, 1, 2)
}

// Values of all kinds, and some that are refused.
func values(recorder *isolabrecorder.Recorder) {
	tx, err := recorder.Begin("a connection")
	insist(err)
	tx.Write("é \"quoted\"\n\\ \x01\x7f 😀", int64(math.MaxInt64))
	tx.Write(-5, "</script>\u2028")
	tx.Write("nothing", nil)
	tx.WriteRow("t", "k", isolabrecorder.Row{"f": 0.5, "small": 1e-7, "b": true, "n": nil, "s": "é\"", "i": -7, "w": 2.0})
	tx.WriteRow("t", 7, nil)
	tx.ReadRow("t", 8, nil)
	insist(tx.Committing())
	tx.Committed()
	refused := 0
	for _, wrong := range []func(tx *isolabrecorder.Record){
		func(tx *isolabrecorder.Record) { tx.Write("x", 0.5) },
		func(tx *isolabrecorder.Record) { tx.Write(nil, 1) },
		func(tx *isolabrecorder.Record) { tx.WriteRow("a/b", 1, isolabrecorder.Row{}) },
		func(tx *isolabrecorder.Record) { tx.WriteRow("t", 1, isolabrecorder.Row{"a": uint64(1) << 53}) },
		func(tx *isolabrecorder.Record) { tx.WriteRow("t", 1, isolabrecorder.Row{"a": math.NaN()}) },
		func(tx *isolabrecorder.Record) { tx.WriteRow("t", 1, isolabrecorder.Row{"": 1}) },
	} {
		tx, err := recorder.Begin("a connection")
		insist(err)
		wrong(tx)
		if tx.Committing() != nil {
			refused++
		}
		tx.Aborted()
	}
	fmt.Print(refused)
}

func stall(recorder *isolabrecorder.Recorder) error {
	return recorder.Transaction(ctx, connect("STALLING_URL"), nil, func(tx *isolabrecorder.Tx) error {
		_, err := tx.Exec("INSERT INTO kv VALUES ('stalled', 1)")
		tx.Write("stalled", 1)
		return err
	})
}
