// Command isolab-engine serves all sessions of one embedded engine, a line of JSON for each request and each answer, as
// isolab's README of the collector says under "One process for all sessions". It is called with a folder of its own. The
// engine is a tag of the build.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"sync"
)

// request is one line of isolab's. Which fields are there says what is asked.
type request struct {
	ID       *int64          `json:"id"`
	Session  int             `json:"session"`
	Hello    int             `json:"hello"`
	Prepare  string          `json:"prepare"`
	Keep     bool            `json:"keep"`
	Begin    string          `json:"begin"`
	Commit   bool            `json:"commit"`
	Rollback bool            `json:"rollback"`
	Close    bool            `json:"close"`
	Kind     string          `json:"kind"`
	Key      json.RawMessage `json:"key"`
	Value    json.Number     `json:"value"`
	Expected *json.Number    `json:"expected"`
	Low      int64           `json:"low"`
	High     int64           `json:"high"`
}

type answer map[string]any

func main() {
	database := newDatabase(os.Args[1])
	sessions := map[int]chan request{}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return // whatever a session waits for
		}
		var asked request
		if err := json.Unmarshal(line, &asked); err != nil {
			say(asked, answer{"error": err.Error()})
			continue
		}
		switch {
		case asked.Hello != 0:
			say(asked, answer{"database": title, "sessions": "shared"})
		case asked.Prepare != "":
			say(asked, said(nil, database.prepare(asked.Prepare, asked.Keep)))
		default:
			requests := sessions[asked.Session]
			if requests == nil {
				requests = make(chan request, 2)
				sessions[asked.Session] = requests
				go (&session{database: database}).serve(requests)
			}
			if asked.Close {
				delete(sessions, asked.Session)
			}
			requests <- asked
		}
	}
}

var output sync.Mutex

func say(asked request, reply answer) {
	if asked.ID != nil {
		reply["id"] = *asked.ID
	}
	line, err := json.Marshal(reply)
	if err != nil {
		panic(err)
	}
	output.Lock()
	defer output.Unlock()
	os.Stdout.Write(append(line, '\n'))
}

// said is a result as isolab's protocol has it.
func said(reply answer, err error) answer {
	if err == nil {
		if reply == nil {
			return answer{}
		}
		return reply
	}
	if isAborted(err) {
		return answer{"aborted": err.Error()}
	}
	return answer{"error": err.Error()}
}
