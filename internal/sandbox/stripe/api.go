package stripe

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// request is a call as it came.
type request struct {
	method, path, id string // the ID is that of the path
	key              string // for idempotency; empty: none
	fields           *fields
	expand           expansion
}

// call is a request within its transaction.
type call struct {
	*tx
	request
}

// endpoint lets a call in when its key is right, and serves it, unless a fault has other
// plans.
func (s *Server) endpoint(e endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head(w)
		q, refused := s.read(w, r, e)
		if refused != nil {
			writeRefusal(w, refused)
			return
		}
		if q.key != "" {
			w.Header().Set("Idempotency-Key", q.key)
		}
		rule, _ := s.pick(e.on)
		if !s.inflictBefore(rule, w, r) {
			s.inflictAfter(rule, w, r, s.once(e, q, rule))
		}
	})
}

// head sets what all of Stripe's answers have.
func head(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", "req_"+rand.Text())
	w.Header().Set("Stripe-Version", apiVersion)
	w.Header().Set("Cache-Control", "no-cache, no-store")
}

func writeRefusal(w http.ResponseWriter, r *refusal) {
	w.WriteHeader(r.Status)
	_ = json.NewEncoder(w).Encode(r.wire()) // the client has gone
}

// read checks what can be checked before anything is done.
func (s *Server) read(w http.ResponseWriter, r *http.Request, e endpoint) (request, *refusal) {
	q := request{method: r.Method, path: r.URL.Path, id: r.PathValue("id")}
	if refused := s.authorize(r); refused != nil {
		return q, refused
	}
	if version := r.Header.Get("Stripe-Version"); version != "" && version != apiVersion {
		return q, invalid("", "", "This sandbox speaks version %s only.", apiVersion)
	}
	values, refused := readValues(w, r)
	if refused != nil {
		return q, refused
	}
	if q.method == http.MethodPost {
		if q.key = r.Header.Get("Idempotency-Key"); len(q.key) > 255 {
			return q, errKeyTooLong
		}
	}
	q.fields = &fields{values: values}
	q.fields.unknown(e.params)
	if e.expand != "" {
		q.expand = readExpansion(q.fields, e.expand)
	}
	return q, q.fields.refused
}

func (s *Server) authorize(r *http.Request) *refusal {
	key, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case !found || key == "":
		return errNoKey
	case subtle.ConstantTimeCompare([]byte(key), []byte(s.config.Key)) != 1:
		return errWrongKey
	}
	return nil
}

// readValues reads the parameters, which a GET has in its URL and others in their body.
func readValues(w http.ResponseWriter, r *http.Request) (url.Values, *refusal) {
	if r.Method == http.MethodGet {
		return r.URL.Query(), nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, errTooLarge
	}
	if err != nil {
		return nil, invalid("", "", "The request's body cannot be read.")
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, invalid("", "", "The request's body is not form-encoded.")
	}
	return values, nil
}
