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

// Caller is a client of the API.
type Caller struct {
	URL    string
	Header http.Header // of each call
	HTTP   http.Client
}

// NewCaller returns a caller with a timeout of 10 s.
func NewCaller(url string, header http.Header) *Caller {
	return &Caller{URL: url, Header: header, HTTP: http.Client{Timeout: 10 * time.Second}}
}

// CallerFrom returns a caller with this network address. An API trusts X-Forwarded-For from loopback; a cluster's
// proxy does not, so the caller connects from an address in 127.0.0.0/8.
func (s *Stage) CallerFrom(address netip.Addr, header http.Header) *Caller {
	caller := NewCaller(s.URL, header)
	if s.cluster == nil {
		header.Set("X-Forwarded-For", address.String())
		return caller
	}
	from := address.As4()
	from[0], from[1] = 127, from[1]+1 // 127.0.0.0/16 contains the proxy's own address
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: from[:]}}
	caller.HTTP.Transport = &http.Transport{DialContext: dialer.DialContext}
	return caller
}

// Outcome is the result of a call.
type Outcome string

const (
	Success Outcome = "success"
	Refused Outcome = "refused" // certainly not done
	Unclear Outcome = "unclear" // may or may not be done
)

// Answer is the API's response.
type Answer struct {
	Outcome Outcome
	Code    problem.Code // of an error response
}

func (a Answer) String() string {
	if a.Code != "" {
		return string(a.Outcome) + " " + string(a.Code)
	}
	return string(a.Outcome)
}

// Call makes one request, without a body if body is nil. Without a response of the API, or with a server error, the
// outcome is unclear.
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
	text, _ = io.ReadAll(resp.Body) // the status is enough if the body is incomplete
	if resp.StatusCode < http.StatusBadRequest {
		_ = json.Unmarshal(text, reply)
		return Answer{Outcome: Success}
	}
	var failure httpapi.Problem
	if err := json.Unmarshal(text, &failure); err != nil || resp.StatusCode >= http.StatusInternalServerError {
		return Answer{Outcome: Unclear, Code: failure.Code}
	}
	return Answer{Outcome: Refused, Code: failure.Code}
}

// PostForm posts a form without following redirects. The caller closes the body.
func PostForm(ctx context.Context, address string, form url.Values) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return http.DefaultTransport.RoundTrip(req)
}

// Pay submits a page of the Stripe sandbox and returns the status: 303 paid, 402 declined, 410 closed, 0 no response.
func Pay(ctx context.Context, page, email, card string) (status int) {
	return statusOf(PostForm(ctx, page, url.Values{"email": {email}, "card": {card}}))
}

// Refund refunds a paid page on the Stripe sandbox's dashboard at base.
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

// Get fetches a URL and returns its body, its status (0 without a response) and the error.
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

// Listen opens a loopback port for a sandbox in this process.
func Listen() (listener net.Listener, url string, err error) {
	listener, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	return listener, "http://" + listener.Addr().String(), nil
}

// Serve serves a sandbox until stop is called.
func Serve(listener net.Listener, handler http.Handler) (stop func()) {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	go func() { _ = server.Serve(listener) }()
	return func() { _ = server.Close() }
}

// LateAnswer is a response that a trap can delay.
type LateAnswer struct {
	http.ResponseWriter
	Trap   *Trap
	Moment Moment
}

// WriteHeader reaches the moment before the response is sent.
func (a *LateAnswer) WriteHeader(status int) {
	a.Trap.Reach(a.Moment)
	a.ResponseWriter.WriteHeader(status)
}
