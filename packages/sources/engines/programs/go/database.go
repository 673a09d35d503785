package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// database is the engine that all sessions use, opened when it is needed and opened anew for empty tables.
type database struct {
	lock   sync.Mutex
	folder string
	// Emptied tables are a new folder; the greatest number holds what is current, also after a crash.
	generation int
	opened     store
	// holdsRows says that keys stand for rows, which are read and written then.
	holdsRows bool
}

func newDatabase(folder string) *database {
	made := &database{folder: folder}
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if number, err := strconv.Atoi(entry.Name()); err == nil && number > made.generation {
			made.generation = number
		}
	}
	return made
}

func (d *database) prepare(data string, keeps bool) error {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.holdsRows = data == "rows"
	if keeps {
		return nil
	}
	opened := d.opened
	d.opened = nil
	d.generation++
	if opened == nil {
		return nil
	}
	return opened.close()
}

func (d *database) begin(isolation string) (begun transaction, holdsRows bool, err error) {
	d.lock.Lock()
	holdsRows = d.holdsRows
	if d.opened == nil {
		folder := filepath.Join(d.folder, strconv.Itoa(d.generation))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			d.lock.Unlock()
			return nil, false, err
		}
		opened, err := open(folder)
		if err != nil {
			d.lock.Unlock()
			return nil, false, fmt.Errorf("it does not open: %w", err)
		}
		d.opened = opened
	}
	opened := d.opened
	d.lock.Unlock() // whoever begins may have to wait for another session
	begun, err = opened.begin(isolation)
	return begun, holdsRows, err
}
