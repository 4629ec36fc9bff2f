package smtp

import (
	"cmp"

	"github.com/emersion/go-smtp"
)

// Target is the SMTP command to refuse.
type Target string

const (
	OnData Target = "data" // after the email was received
	OnRcpt Target = "rcpt"
)

// Faults is the number of commands to refuse and the reply code. The zero value refuses none.
type Faults struct {
	Times int
	Code  int
	On    Target // default: data
}

// SetFaults replaces the faults.
func (s *Server) SetFaults(f Faults) {
	f.On = cmp.Or(f.On, OnData)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

// left returns the remaining faults.
func (s *Server) left() Faults {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults
}

// fault returns the refusal of one command, or nil.
func (s *Server) fault(on Target) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults.On != on || s.faults.Times == 0 {
		return nil
	}
	s.faults.Times--
	return &smtp.SMTPError{Code: s.faults.Code, Message: "Refused, as asked"}
}
