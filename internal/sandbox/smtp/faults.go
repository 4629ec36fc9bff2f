package smtp

import (
	"cmp"

	"github.com/emersion/go-smtp"
)

// Target is the command that is refused.
type Target string

const (
	OnData Target = "data" // when the email is there
	OnRcpt Target = "rcpt" // when its recipient is named
)

// Faults is how often the sandbox is going to refuse, and with what. None: it behaves.
type Faults struct {
	Times int
	Code  int
	On    Target // default: data
}

// SetFaults replaces the faults. They are counted down from then on.
func (s *Server) SetFaults(f Faults) {
	f.On = cmp.Or(f.On, OnData)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

// left returns the faults that are still to come.
func (s *Server) left() Faults {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.faults
}

// fault returns the refusal of one command; nil: let it pass.
func (s *Server) fault(on Target) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults.On != on || s.faults.Times == 0 {
		return nil
	}
	s.faults.Times--
	return &smtp.SMTPError{Code: s.faults.Code, Message: "Refused, as asked"}
}
