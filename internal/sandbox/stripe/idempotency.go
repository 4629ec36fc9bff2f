package stripe

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// keyMemory is how long a reply is kept for its idempotency key.
const keyMemory = 24 * time.Hour

// reply is what a call was answered. Those with a key are kept, failures too.
type reply struct {
	Key    string          `json:"key"`
	Params string          `json:"params"` // a digest of what was asked
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body"`
	At     time.Time       `json:"at"`

	replayed bool
}

// digest is the same for requests that ask for the same.
func (q request) digest() string {
	sum := sha256.Sum256([]byte(q.method + " " + q.path + "\n" + q.fields.values.Encode()))
	return hex.EncodeToString(sum[:])
}

// keysInUse are the idempotency keys of calls that are being served.
type keysInUse struct {
	mu   sync.Mutex
	keys map[string]struct{}
}

func (k *keysInUse) take(key string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, taken := k.keys[key]; taken {
		return false
	}
	k.keys[key] = struct{}{}
	return true
}

func (k *keysInUse) give(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.keys, key)
}

// once serves a request, or gives what it was answered before.
func (s *Server) once(e endpoint, q request, rule Rule) reply {
	if q.key == "" {
		return s.perform(e, q, rule)
	}
	if !s.inUse.take(q.key) {
		return errKeyInUse.reply()
	}
	defer s.inUse.give(q.key)
	before, found := s.state.replyTo(q.key)
	switch {
	case found && before.Params != q.digest():
		return errKeyReused.reply()
	case found:
		before.replayed = true
		return before
	}
	return s.perform(e, q, rule)
}

// replyTo gives what is kept for a key.
func (st *state) replyTo(key string) (reply, bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	r, found := st.replies[key]
	return r, found && st.now().Sub(r.At) < keyMemory
}

// perform serves a request in one transaction with the memory of its answer, so that a
// killed sandbox does not do it a second time.
func (s *Server) perform(e endpoint, q request, rule Rule) (answer reply) {
	if rule.Fault == Slow {
		s.pause(rule.Delay)
	}
	err := s.state.do(func(t *tx) error {
		var refused *refusal
		answer, refused = s.run(e, q, t, rule)
		if refused != nil {
			t.change = change{}
		}
		if q.key != "" && (refused == nil || !refused.unsaved) {
			answer.Key, answer.Params, answer.At = q.key, q.digest(), t.now
			t.change.Replies = append(t.change.Replies, answer)
		}
		return nil
	})
	if err != nil {
		s.config.Log.Error("stripe sandbox: the state cannot be written", "error", err)
		return errBroken.reply()
	}
	return answer
}

// run does what is asked for, and answers it, or as the fault wants it.
func (s *Server) run(e endpoint, q request, t *tx, rule Rule) (reply, *refusal) {
	if rule.Fault == Broken {
		return errBroken.reply(), errBroken
	}
	body, refused := e.serve(&call{tx: t, request: q})
	if refused != nil {
		return refused.reply(), refused
	}
	if rule.Fault == BrokenAfter {
		return errBroken.reply(), nil
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return errBroken.reply(), errBroken
	}
	return reply{Status: http.StatusOK, Body: raw}, nil
}

func (r reply) writeTo(w http.ResponseWriter) {
	if r.replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.WriteHeader(r.Status)
	_, _ = w.Write(r.Body) // the client has gone
}
