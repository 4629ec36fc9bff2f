package smtp

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/emersion/go-smtp"

	"customerzero/internal/sandbox/faults"
	"customerzero/internal/sandbox/pages"
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
	Times int    `json:"times"`
	Code  int    `json:"code"`
	On    Target `json:"on,omitempty"` // left out: data
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

const maxBody = 1 << 10 // of a request, in bytes

// routeFaults adds the switchboard. Other sites' pages may not use it.
func (s *Server) routeFaults(mux *http.ServeMux) {
	const path = root + "/faults"
	own := http.NewCrossOriginProtection()
	own.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusForbidden, "This is not for other sites.")
	}))
	mux.HandleFunc("GET "+path, s.showFaults)
	mux.Handle("PUT "+path, own.Handler(http.HandlerFunc(s.putFaults)))
	mux.Handle("DELETE "+path, own.Handler(http.HandlerFunc(s.clearFaults)))
}

func (s *Server) showFaults(w http.ResponseWriter, _ *http.Request) {
	pages.WriteJSON(w, http.StatusOK, s.faults.list())
}

func (s *Server) putFaults(w http.ResponseWriter, r *http.Request) {
	wanted, err := faults.Decode[Faults](http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = s.SetFaults(wanted)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	s.showFaults(w, r)
}

func (s *Server) clearFaults(w http.ResponseWriter, _ *http.Request) {
	s.ClearFaults()
	w.WriteHeader(http.StatusNoContent)
}

func refuse(w http.ResponseWriter, status int, why string) {
	pages.WriteJSON(w, status, map[string]string{"error": why})
}
