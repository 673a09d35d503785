package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// reply answers registers, lists and rows as keys and values. A list is text, a row its value and whether it is a tombstone.
func reply(t transaction, asked request, holdsRows bool) (answer, error) {
	switch asked.Kind {
	case "read":
		value, err := read(t, asked, holdsRows)
		return answer{"value": value}, err
	case "write":
		return nil, write(t, asked, holdsRows)
	case "compare-and-set":
		value, err := read(t, asked, holdsRows)
		if err != nil {
			return nil, err
		}
		holds := (value == nil) == (asked.Expected == nil) && (value == nil || *value == *asked.Expected)
		if holds {
			err = write(t, asked, holdsRows)
		}
		return answer{"value": holds}, err
	case "read-list":
		list, err := t.get("l" + named(asked.Key))
		return answer{"value": json.RawMessage("[" + string(list) + "]")}, err
	case "append":
		key := "l" + named(asked.Key)
		list, err := t.get(key)
		if err != nil {
			return nil, err
		}
		if len(list) > 0 {
			list = append(list, ',')
		}
		return nil, t.put(key, append(list, asked.Value...))
	case "insert", "delete":
		return change(t, asked)
	case "range":
		rows, err := rowsBetween(t, asked.Low, asked.High)
		return answer{"value": rows}, err
	}
	return nil, fmt.Errorf("%s is not done here", asked.Kind)
}

func read(t transaction, asked request, holdsRows bool) (*json.Number, error) {
	if holdsRows {
		key, err := strconv.ParseInt(string(asked.Key), 10, 64)
		if err != nil {
			return nil, err
		}
		held, err := t.get(numbered(key))
		if held == nil || err != nil {
			return nil, err
		}
		return &[]json.Number{rowOf(key, held).Value}[0], nil
	}
	value, err := t.get("r" + named(asked.Key))
	if value == nil || err != nil {
		return nil, err
	}
	number := json.Number(value)
	return &number, nil
}

func write(t transaction, asked request, holdsRows bool) error {
	if holdsRows {
		key, err := strconv.ParseInt(string(asked.Key), 10, 64)
		if err != nil {
			return err
		}
		return t.put(numbered(key), []byte(string(asked.Value)+" insert"))
	}
	return t.put("r"+named(asked.Key), []byte(asked.Value))
}

// named is a key that is a number or a text.
func named(key json.RawMessage) string {
	var text string
	if json.Unmarshal(key, &text) == nil {
		return text
	}
	return string(key)
}

type row struct {
	Key   int64       `json:"key"`
	Value json.Number `json:"value"`
	Dead  bool        `json:"dead"`
}

// change writes a row, or a tombstone, unless what is there is such a one. It gives what was there.
func change(t transaction, asked request) (answer, error) {
	key, err := strconv.ParseInt(string(asked.Key), 10, 64)
	if err != nil {
		return nil, err
	}
	found := []row{}
	held, err := t.get(numbered(key))
	if err != nil {
		return nil, err
	}
	if held != nil {
		found = append(found, rowOf(key, held))
	}
	isLive := len(found) > 0 && !found[0].Dead
	if isLive != (asked.Kind == "insert") {
		err = t.put(numbered(key), []byte(string(asked.Value)+" "+asked.Kind))
	}
	return answer{"value": found}, err
}

func rowsBetween(t transaction, low, high int64) ([]row, error) {
	rows := []row{}
	entries, err := t.scan(numbered(low), numbered(high))
	for _, one := range entries {
		key := int64(binary.BigEndian.Uint64([]byte(one.key[1:])) ^ 1<<63)
		rows = append(rows, rowOf(key, one.value))
	}
	return rows, err
}

// numbered is a key in the order of numbers.
func numbered(key int64) string {
	return "w" + string(binary.BigEndian.AppendUint64(nil, uint64(key)^1<<63))
}

func rowOf(key int64, held []byte) row {
	value, kind, _ := strings.Cut(string(held), " ")
	return row{Key: key, Value: json.Number(value), Dead: kind == "delete"}
}
