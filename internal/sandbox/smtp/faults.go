package smtp

import (
	"fmt"
	"sync"

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

// check describes what is wrong with the faults, and gives them their default.
func (f Faults) check() (Faults, error) {
	if f.On == "" {
		f.On = OnData
	}
	switch {
	case f.On != OnData && f.On != OnRcpt:
		return f, fmt.Errorf("on %q: use data or rcpt", f.On)
	case f.Times < 1 || f.Times > maxTimes:
		return f, fmt.Errorf("times %d: use 1 to %d", f.Times, maxTimes)
	case f.Code < 400 || f.Code > 599:
		return f, fmt.Errorf("code %d: a refusal is 400 to 599", f.Code)
	}
	return f, nil
}

// SetFaults replaces the faults. They are counted down from then on.
func (s *Server) SetFaults(f Faults) error {
	f, err := f.check()
	if err == nil {
		s.faults.set(f)
	}
	return err
}

// ClearFaults makes the sandbox behave.
func (s *Server) ClearFaults() { s.faults.set(Faults{}) }

// faultBoard decides which commands are refused.
type faultBoard struct {
	mu   sync.Mutex
	left Faults
}

func (b *faultBoard) set(f Faults) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = f
}

func (b *faultBoard) list() Faults {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left
}

// pick returns the refusal of one command; nil: let it pass.
func (b *faultBoard) pick(on Target) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left.On != on || b.left.Times == 0 {
		return nil
	}
	b.left.Times--
	return &smtp.SMTPError{Code: b.left.Code, Message: "Refused, as asked"}
}
