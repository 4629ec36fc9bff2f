package smtp

import (
	"cmp"
	"fmt"

	"github.com/emersion/go-smtp"
)

// Target is the command that is refused.
type Target string

const (
	OnData Target = "data" // when the email is there
	OnRcpt Target = "rcpt" // when its recipient is named
)

const maxTimes = 1000

// Faults is how often the sandbox is going to refuse, and with what. None: it behaves.
type Faults struct {
	Times int
	Code  int
	On    Target // default: data
}

// check describes what is wrong with the faults.
func (f Faults) check() error {
	switch {
	case f.On != OnData && f.On != OnRcpt:
		return fmt.Errorf("on %q: use data or rcpt", f.On)
	case f.Times < 1 || f.Times > maxTimes:
		return fmt.Errorf("times %d: use 1 to %d", f.Times, maxTimes)
	case f.Code < 400 || f.Code > 599:
		return fmt.Errorf("code %d: a refusal is 400 to 599", f.Code)
	}
	return nil
}

// SetFaults replaces the faults. They are counted down from then on.
func (s *Server) SetFaults(f Faults) error {
	if f != (Faults{}) {
		f.On = cmp.Or(f.On, OnData)
		if err := f.check(); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
	return nil
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
