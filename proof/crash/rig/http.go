package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
)

// Caller calls the API as somebody does.
type Caller struct {
	URL    string
	Header http.Header // of each call
	HTTP   http.Client
}

// NewCaller gives a caller who does not wait for longer than ten seconds.
func NewCaller(url string, header http.Header) *Caller {
	return &Caller{URL: url, Header: header, HTTP: http.Client{Timeout: 10 * time.Second}}
}

// CallerFrom gives one whose network address is this, as far as the API can know: it believes what is before it. The
// proxy believes nobody, so to it one really comes from there; all of 127.0.0.0/8 is ours.
func (s *Stage) CallerFrom(address netip.Addr, header http.Header) *Caller {
	caller := NewCaller(s.URL, header)
	if s.cluster == nil {
		header.Set("X-Forwarded-For", address.String())
		return caller
	}
	from := address.As4()
	from[0], from[1] = 127, from[1]+1 // the first network is the proxy's own
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: from[:]}}
	caller.HTTP.Transport = &http.Transport{DialContext: dialer.DialContext}
	return caller
}

// Outcome is what a call came to.
type Outcome string

const (
	Success Outcome = "success"
	Refused Outcome = "refused" // certainly not done
	Unclear Outcome = "unclear" // nobody told us
)

// Answer is what the API said.
type Answer struct {
	Outcome Outcome
	Code    problem.Code // of a refusal, or of a failure that was answered
}

func (a Answer) String() string {
	if a.Code != "" {
		return string(a.Outcome) + " " + string(a.Code)
	}
	return string(a.Outcome)
}

// Call makes one request, without a body if that is nil. Whatever is not an answer of the API's own leaves it unclear.
func (c *Caller) Call(ctx context.Context, method, path string, body, reply any) Answer {
	var sent io.Reader = http.NoBody
	text, err := json.Marshal(body)
	if err == nil && body != nil {
		sent = bytes.NewReader(text)
	}
	req, errReq := http.NewRequestWithContext(ctx, method, c.URL+path, sent)
	if errors.Join(err, errReq) != nil {
		return Answer{Outcome: Refused, Code: problem.Invalid}
	}
	for name, values := range c.Header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return Answer{Outcome: Unclear}
	}
	defer func() { _ = resp.Body.Close() }()
	text, _ = io.ReadAll(resp.Body) // cut off in the middle: the status says enough
	if resp.StatusCode < http.StatusBadRequest {
		_ = json.Unmarshal(text, reply)
		return Answer{Outcome: Success}
	}
	var said httpapi.Problem
	if err := json.Unmarshal(text, &said); err != nil || resp.StatusCode >= http.StatusInternalServerError {
		return Answer{Outcome: Unclear, Code: said.Code}
	}
	return Answer{Outcome: Refused, Code: said.Code}
}

// PostForm sends a form as a browser does, without following a redirect. The caller closes the body.
func PostForm(ctx context.Context, address string, form url.Values) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return http.DefaultTransport.RoundTrip(req)
}

// Pay fills in a page of the Stripe sandbox, and returns the status: 303 is paid, 402 declined, 410 closed, 0 no answer.
func Pay(ctx context.Context, page, email, card string) (status int) {
	return statusOf(PostForm(ctx, page, url.Values{"email": {email}, "card": {card}}))
}

// Refund presses the button of the Stripe sandbox's dashboard at base, for a paid page.
func Refund(ctx context.Context, base, page string) (status int) {
	return statusOf(PostForm(ctx, base+"/sandbox/stripe/refund", url.Values{"session": {page[strings.LastIndex(page, "/")+1:]}}))
}

func statusOf(resp *http.Response, err error) int {
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// Get reads a page: its body, its status (0: no answer) and what went wrong.
func Get(ctx context.Context, client *http.Client, address string) (body []byte, status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err = io.ReadAll(resp.Body)
	return body, resp.StatusCode, err
}

// Listen opens a port of ours on loopback, for a sandbox that outlives every kill.
func Listen() (listener net.Listener, url string, err error) {
	listener, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	return listener, "http://" + listener.Addr().String(), nil
}

// Serve runs a sandbox, until stop.
func Serve(listener net.Listener, handler http.Handler) (stop func()) {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	go func() { _ = server.Serve(listener) }()
	return func() { _ = server.Close() }
}

// LateAnswer is an answer that a trap may hold up.
type LateAnswer struct {
	http.ResponseWriter
	Trap   *Trap
	Moment Moment
}

// WriteHeader reaches the moment before anything is sent.
func (a *LateAnswer) WriteHeader(status int) {
	a.Trap.Reach(a.Moment)
	a.ResponseWriter.WriteHeader(status)
}
