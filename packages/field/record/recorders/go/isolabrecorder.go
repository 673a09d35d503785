// Package isolabrecorder records the transactions of an application, for isolab to check. Copy this file; it needs Go 1.21 and
// a driver of database/sql.
//
//	recorder, err := isolabrecorder.New("history-{pid}.jsonl", isolabrecorder.Options{Initial: 0})
//	err = recorder.Transaction(ctx, db, nil, func(tx *isolabrecorder.Tx) error { // commits at the end, rolls back on an error
//		var value int64
//		err := tx.QueryRowContext(ctx, "SELECT …").Scan(&value) // tx is a *sql.Tx
//		tx.Read("x", value)
//		…
//		tx.Write("x", value+1)
//		return nil
//	})
//	err = recorder.Close()
//
// A transaction is in the file before COMMIT is sent, as one of unknown outcome, and its outcome follows: so whatever ends the
// process leaves a right history. Each process has a file of its own: {pid} in the path stands for its number.
package isolabrecorder

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/big"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Row is a row by its columns: texts, numbers of at most 53 bits, booleans and nil.
type Row map[string]any

// Options of a recording. The zero value is good where the database is empty at first.
type Options struct {
	Initial   any         // what every key holds at first; nil is no value
	InitialOf map[any]any // what some keys hold instead
	Database  string
}

// Recorder is the file of one process. Its methods may be called from several goroutines.
type Recorder struct {
	path     string
	prefix   string
	started  time.Time
	mutex    sync.Mutex
	file     *os.File
	broken   error
	sessions map[any]int // by connection of the driver
	last     int
	underWay int
}

// New begins a file, which must not exist.
func New(path string, options Options) (*Recorder, error) {
	path = strings.ReplaceAll(path, "{pid}", fmt.Sprint(os.Getpid()))
	random := make([]byte, 3)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	recorder := &Recorder{
		path:     path,
		prefix:   fmt.Sprintf("%d-%x", os.Getpid(), random),
		started:  time.Now(),
		sessions: map[any]int{},
	}
	initial, err := atom(options.Initial)
	if err != nil {
		return nil, err
	}
	initialOf := []string{}
	for key, value := range options.InitialOf {
		k, err := keyText(key)
		if err != nil {
			return nil, err
		}
		v, err := atom(value)
		if err != nil {
			return nil, err
		}
		initialOf = append(initialOf, "["+k+","+v+"]")
	}
	database := ""
	if options.Database != "" {
		database = `"database":` + text(options.Database) + `,`
	}
	recorder.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s exists, but a recorder needs a new file; name another one, such as history-{pid}.jsonl", path)
	}
	if err != nil {
		return nil, err
	}
	return recorder, recorder.write(fmt.Sprintf(
		`{"isolab":"history","version":2,"times":"nanoseconds","initial":%s,"initialOf":[%s],%s"recorded":{"by":"isolabrecorder.go"}}`,
		initial, strings.Join(initialOf, ","), database))
}

// Existing tells of a row that was there before the recording. Say so before it is read.
func (recorder *Recorder) Existing(table string, key any, row Row) error {
	place, err := placeOf(table, key, row)
	if err != nil {
		return err
	}
	return recorder.write(`{"rows":[[` + place + `]]}`)
}

// Transaction runs work as one transaction. It fails as work or COMMIT does; then nothing was committed, or it is not known.
func (recorder *Recorder) Transaction(ctx context.Context, db *sql.DB, options *sql.TxOptions, work func(tx *Tx) error) error {
	connection, tx, record, err := recorder.beginTx(ctx, db, options)
	for attempts := 1; attempts < 3 && errors.Is(err, driver.ErrBadConn); attempts++ { // as db.BeginTx does
		connection, tx, record, err = recorder.beginTx(ctx, db, options)
	}
	if err != nil {
		return err
	}
	defer connection.Close() // gives it back to the pool
	defer func() {
		if record.state == underWay { // work panicked
			_ = tx.Rollback()
			record.Aborted()
		}
	}()
	err = work(&Tx{Tx: tx, Record: record})
	if err == nil {
		err = record.Committing()
	}
	if err != nil {
		_ = tx.Rollback()
		record.Aborted()
		return err
	}
	if err = tx.Commit(); err != nil {
		record.CommitFailed(err)
		return err
	}
	record.Committed()
	return nil
}

func (recorder *Recorder) beginTx(ctx context.Context, db *sql.DB, options *sql.TxOptions) (*sql.Conn, *sql.Tx, *Record, error) {
	connection, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	var known any
	var record *Record
	var tx *sql.Tx
	err = connection.Raw(func(driver any) error { known = driver; return nil })
	if err == nil {
		record, err = recorder.Begin(known)
	}
	if err == nil {
		if tx, err = connection.BeginTx(ctx, options); err != nil {
			record.Aborted()
		}
	}
	if err != nil {
		_ = connection.Close()
	}
	return connection, tx, record, err
}

// Begin begins a transaction of a connection, just before BEGIN is sent. Connections are told apart by ==.
func (recorder *Recorder) Begin(connection any) (*Record, error) {
	recorder.mutex.Lock()
	defer recorder.mutex.Unlock()
	if recorder.broken != nil {
		return nil, recorder.broken
	}
	if !reflect.TypeOf(connection).Comparable() {
		return nil, fmt.Errorf("a connection of type %T cannot be told from others; give something that can", connection)
	}
	session, isKnown := recorder.sessions[connection]
	if !isKnown {
		if len(recorder.sessions) >= mostSessions {
			recorder.sessions = map[any]int{} // connections that are gone are not kept; a session more claims less
		}
		recorder.last++
		session = recorder.last
		recorder.sessions[connection] = session
	}
	recorder.underWay++
	return &Record{recorder: recorder, session: fmt.Sprintf("%s.%d", recorder.prefix, session), begin: recorder.now()}, nil
}

const mostSessions = 1000

// Close ends the file. Without this, it is one that was cut off.
func (recorder *Recorder) Close() error {
	recorder.mutex.Lock()
	count := recorder.underWay
	recorder.mutex.Unlock()
	if count > 0 {
		return fmt.Errorf("%d transactions are in progress; end them before Close", count)
	}
	if err := recorder.write(`{"isolab":"end"}`); err != nil {
		return err
	}
	recorder.mutex.Lock()
	defer recorder.mutex.Unlock()
	recorder.broken = fmt.Errorf("%s is closed", recorder.path)
	return recorder.file.Close()
}

func (recorder *Recorder) now() int64 { return time.Since(recorder.started).Nanoseconds() }

// Writes a line with one call, which the system keeps when the process is killed.
func (recorder *Recorder) write(line string) error {
	recorder.mutex.Lock()
	defer recorder.mutex.Unlock()
	if recorder.broken != nil {
		return recorder.broken
	}
	if _, err := recorder.file.WriteString(line + "\n"); err != nil {
		recorder.broken = err // nothing can follow half a line
		return err
	}
	return nil
}

// Tx is a transaction of the database and its record.
type Tx struct {
	*sql.Tx
	*Record
}

// Commit is for Transaction to call, when work returns nil.
func (tx *Tx) Commit() error { return errors.New("Transaction commits when its work returns nil") }

// Record is what one transaction read and wrote, in its order, with the values that the application sees.
type Record struct {
	recorder   *Recorder
	session    string
	begin      int64
	begun      string // a field of its line, where it reads first
	operations []string
	state      state
	mistake    error // the first value that cannot be recorded
}

type state int

const (
	underWay state = iota
	committing
	over
)

// Read tells of a read of a key: a string or whole number. nil is no value.
func (record *Record) Read(key, value any) { record.add("r", key, value) }

// Write tells of a write of a key.
func (record *Record) Write(key, value any) { record.add("w", key, value) }

// ReadRow tells of a read of a row by its primary key; row is nil if there is none.
func (record *Record) ReadRow(table string, key any, row Row) { record.addRow("get", table, key, row) }

// WriteRow tells of the whole row after an INSERT or UPDATE; row is nil after a DELETE.
func (record *Record) WriteRow(table string, key any, row Row) {
	record.addRow("put", table, key, row)
}

// Committing must be called before COMMIT is sent; from now on the outcome is unknown until something says it. If it fails,
// something could not be recorded, and the transaction should be rolled back.
func (record *Record) Committing() error {
	if record.mistake != nil {
		return record.mistake
	}
	if record.state != underWay {
		return errors.New("this transaction is not in progress")
	}
	if err := record.line("unknown", fmt.Sprintf(`,"committing":%d`, record.recorder.now())); err != nil {
		return err
	}
	record.state = committing
	return nil
}

// Committed says that COMMIT was answered.
func (record *Record) Committed() { record.end("committed") }

// Aborted says that it certainly did not commit.
func (record *Record) Aborted() { record.end("aborted") }

// Unknown says that its outcome will never be known.
func (record *Record) Unknown() {
	if record.state == underWay {
		_ = record.line("unknown", "")
	}
	record.isOver()
}

// CommitFailed says what became of a COMMIT that failed: aborted if the database refused it, else unknown.
func (record *Record) CommitFailed(err error) {
	if IsRefusal(SQLState(err)) {
		record.Aborted()
	} else {
		record.Unknown()
	}
}

func (record *Record) add(kind string, key, value any) {
	record.reads(kind == "r")
	k, err := keyText(key)
	if err == nil {
		var v string
		v, err = atom(value)
		record.operations = append(record.operations, `["`+kind+`",`+k+`,`+v+`]`)
	}
	record.note(err)
}

func (record *Record) addRow(kind string, table string, key any, row Row) {
	record.reads(kind == "get")
	place, err := placeOf(table, key, row)
	record.operations = append(record.operations, `["`+kind+`",`+place+`]`)
	record.note(err)
}

// Where it reads first, the database has taken its snapshot now. A write may not have been sent yet.
func (record *Record) reads(isRead bool) {
	if isRead && len(record.operations) == 0 {
		record.begun = fmt.Sprintf(`,"begun":%d`, record.recorder.now())
	}
}

func (record *Record) note(err error) {
	if err == nil && record.state != underWay {
		err = errors.New("an operation after COMMIT was sent")
	}
	if record.mistake == nil {
		record.mistake = err
	}
}

// If it cannot be written, the database has answered all the same, and the file is one that was cut off.
func (record *Record) end(outcome string) {
	end := fmt.Sprintf(`,"end":%d`, record.recorder.now())
	if record.state == committing {
		_ = record.recorder.write(fmt.Sprintf(`{"outcome":"%s","session":"%s"%s}`, outcome, record.session, end))
	} else if record.state == underWay && record.mistake == nil {
		_ = record.line(outcome, end)
	}
	record.isOver()
}

func (record *Record) line(status, time string) error {
	return record.recorder.write(fmt.Sprintf(`{"session":"%s","status":"%s","begin":%d%s%s,"ops":[%s]}`,
		record.session, status, record.begin, record.begun, time, strings.Join(record.operations, ",")))
}

func (record *Record) isOver() {
	if record.state == over {
		return
	}
	record.state = over
	record.recorder.mutex.Lock()
	defer record.recorder.mutex.Unlock()
	record.recorder.underWay--
}

// IsRefusal tells whether a SQLSTATE says that COMMIT was refused: a conflict or a constraint, or a statement had failed.
func IsRefusal(state string) bool {
	isClass := strings.HasPrefix(state, "23") || strings.HasPrefix(state, "40")
	return (isClass && state != "40003") || state == "25P02"
}

// SQLState is that of an error, "" if it has none: by its method, or its field, as MySQL's driver has it.
func SQLState(err error) string {
	var named interface{ SQLState() string }
	if errors.As(err, &named) {
		return named.SQLState()
	}
	for ; err != nil; err = errors.Unwrap(err) {
		value := reflect.Indirect(reflect.ValueOf(err))
		if value.Kind() != reflect.Struct {
			continue
		}
		if field := value.FieldByName("SQLState"); field.IsValid() && field.Type() == reflect.TypeOf([5]byte{}) {
			state := field.Interface().([5]byte)
			return string(state[:])
		}
	}
	return ""
}

func placeOf(table string, key any, row Row) (string, error) {
	if table == "" || strings.Contains(table, "/") || !utf8.ValidString(table) {
		return "", fmt.Errorf(`a table is named %q; expected a text without "/"`, table)
	}
	k, err := keyText(key)
	if err != nil {
		return "", err
	}
	if row == nil {
		return text(table) + "," + k + ",null", nil
	}
	columns := []string{}
	for column, value := range row {
		spelled, err := columnValue(value)
		if err != nil || column == "" || !utf8.ValidString(column) {
			return "", fmt.Errorf("column %q is %v (%T); expected a string, a number of at most 53 bits, a boolean or nil. Convert it to a string, in the same way at every read and write", column, value, value)
		}
		columns = append(columns, text(column)+":"+spelled)
	}
	return text(table) + "," + k + ",{" + strings.Join(columns, ",") + "}", nil
}

var errUnfit = errors.New("unfit")

func columnValue(value any) (string, error) {
	switch reflected := reflect.ValueOf(value); reflected.Kind() {
	case reflect.Bool:
		return fmt.Sprint(reflected.Bool()), nil
	case reflect.Float32, reflect.Float64:
		number := reflected.Float()
		if math.IsNaN(number) || math.IsInf(number, 0) || (number == math.Trunc(number) && math.Abs(number) >= 1<<53) {
			return "", errUnfit
		}
		spelled, err := json.Marshal(value)
		return string(spelled), err
	}
	spelled, err := atom(value)
	if err == nil && spelled[0] != '"' && spelled != "null" {
		number, _ := new(big.Int).SetString(spelled, 10)
		if number.CmpAbs(big.NewInt(1<<53)) >= 0 {
			return "", errUnfit
		}
	}
	return spelled, err
}

func keyText(key any) (string, error) {
	if key == nil {
		return "", errors.New("a key is nil; expected a string or a whole number")
	}
	return atom(key)
}

func atom(value any) (string, error) {
	if value == nil {
		return "null", nil
	}
	if number, isBig := value.(*big.Int); isBig && number != nil {
		return number.String(), nil
	}
	switch reflected := reflect.ValueOf(value); reflected.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprint(reflected.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fmt.Sprint(reflected.Uint()), nil
	case reflect.String:
		if utf8.ValidString(reflected.String()) {
			return text(reflected.String()), nil
		}
	}
	return "", fmt.Errorf("a key or value is %v (%T); expected a string, a whole number or nil", value, value)
}

func text(value string) string {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // of a string it cannot fail
	return strings.TrimSuffix(buffer.String(), "\n")
}
