package main

import (
	"context"
	"database/sql"
	"log"
	"os"

	"isolabrecorder"

	_ "github.com/lib/pq"
)

func main() {
	recorder, err := isolabrecorder.New("history-{pid}.jsonl", isolabrecorder.Options{})
	insist(err)
	// What was there before.
	insist(recorder.Existing("accounts", 1, isolabrecorder.Row{"owner": "alice", "balance": 100}))

	db, err := sql.Open("postgres", os.Getenv("POSTGRES_URL")+"?sslmode=disable")
	insist(err)
	ctx := context.Background()
	insist(recorder.Transaction(ctx, db, nil, func(tx *isolabrecorder.Tx) error {
		var owner string
		var balance int
		row := tx.QueryRowContext(ctx, "SELECT owner, balance FROM accounts WHERE id = 1")
		if err := row.Scan(&owner, &balance); err != nil {
			return err
		}
		tx.ReadRow("accounts", 1, isolabrecorder.Row{"owner": owner, "balance": balance})
		_, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = $1 WHERE id = 1", balance-30)
		tx.WriteRow("accounts", 1, isolabrecorder.Row{"owner": owner, "balance": balance - 30})
		return err
	}))
	insist(recorder.Close())
}

func insist(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
