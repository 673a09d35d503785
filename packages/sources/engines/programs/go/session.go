package main

import "errors"

// session is one client, served by a goroutine of its own.
type session struct {
	database *database
	begun    transaction
	// Whether keys stand for rows.
	holdsRows bool
}

func (s *session) serve(requests <-chan request) {
	for asked := range requests {
		say(asked, said(s.done(asked)))
		if asked.Close {
			return
		}
	}
}

func (s *session) done(asked request) (answer, error) {
	switch {
	case asked.Begin != "":
		s.discard()
		begun, holdsRows, err := s.database.begin(asked.Begin)
		if err == nil {
			s.begun, s.holdsRows = begun, holdsRows
		}
		return nil, err
	case asked.Close || asked.Rollback:
		s.discard()
		return nil, nil
	case s.begun == nil:
		return nil, errors.New("no transaction has begun")
	case asked.Commit:
		defer s.discard()
		return nil, s.begun.commit()
	default:
		return reply(s.begun, asked, s.holdsRows)
	}
}

func (s *session) discard() {
	if s.begun != nil {
		s.begun.discard()
	}
	s.begun = nil
}
