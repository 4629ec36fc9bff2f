package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
)

// load sends requests over persistent connections, on each the next one after the previous response. It writes
// HTTP itself, because http.Client would use more CPU time than some responses.
type load struct {
	address string // host:port
	atOnce  int
	ask     func(n int64) []byte // returns the n-th request, as sent
	want    int                  // expected status
	most    int64                // number of requests; 0: until the time is over
}

// loaded is the result of a load.
type loaded struct {
	waited []time.Duration
	took   time.Duration
	others map[int]int // number of unexpected responses by status
}

func (l loaded) rate() float64 { return float64(len(l.waited)) / l.took.Seconds() }

// run sends requests for a while. It returns an error if no response has the expected status.
func (l load) run(ctx context.Context, while time.Duration, numbers *atomic.Int64) (all loaded, err error) {
	ctx, cancel := context.WithTimeout(ctx, while)
	defer cancel()
	parts, failures := make([]loaded, l.atOnce), make([]error, l.atOnce)
	var left atomic.Int64
	left.Store(l.most)
	began := time.Now()
	var crowd sync.WaitGroup
	for i := range l.atOnce {
		crowd.Go(func() { parts[i], failures[i] = l.one(ctx, numbers, &left) })
	}
	crowd.Wait()
	all = loaded{took: time.Since(began), others: map[int]int{}}
	for i, part := range parts {
		if failures[i] != nil {
			return all, failures[i]
		}
		all.waited = append(all.waited, part.waited...)
		for status, n := range part.others {
			all.others[status] += n
		}
	}
	if len(all.waited) == 0 {
		return all, fmt.Errorf("%s returned no %d within %v, only %v", l.address, l.want, while, all.others)
	}
	return all, nil
}

// one sends requests over one connection.
func (l load) one(ctx context.Context, numbers, left *atomic.Int64) (got loaded, err error) {
	conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, "tcp", l.address)
	if err != nil {
		return got, err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return got, err
	}
	got.others = map[int]int{}
	answers := bufio.NewReaderSize(conn, 64<<10)
	for ctx.Err() == nil && (l.most == 0 || left.Add(-1) >= 0) {
		began := time.Now()
		status, err := exchange(conn, answers, l.ask(numbers.Add(1)))
		if err != nil {
			return got, fmt.Errorf("%s: %w", l.address, err)
		}
		if status == l.want {
			got.waited = append(got.waited, time.Since(began))
		} else {
			got.others[status]++
		}
	}
	return got, nil
}

func exchange(conn net.Conn, answers *bufio.Reader, request []byte) (status int, err error) {
	if _, err := conn.Write(request); err != nil {
		return 0, err
	}
	resp, err := http.ReadResponse(answers, nil)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode, err
}

func wire(method, path, body string, headers ...string) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s %s HTTP/1.1\r\nHost: bench\r\n", method, path)
	for _, header := range headers {
		text.WriteString(header + "\r\n")
	}
	if body != "" {
		fmt.Fprintf(&text, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	text.WriteString("\r\n" + body)
	return text.Bytes()
}

func always(request []byte) func(int64) []byte { return func(int64) []byte { return request } }

// hostOf is the host:port of a site.
func hostOf(site string) string { return strings.TrimPrefix(site, "http://") }

const httpRounds = 3

const turn = 1500 * time.Millisecond

// contest compares two servers in turns.
type contest struct {
	subject, what, beside string

	baseline, ours side
	atOnce         int
	rate, wait     target // of the responses a second, and of the p99
}

// side is one of the two servers with its measurements.
type side struct {
	load
	during func(ctx context.Context, address string, turn func() error) error // runs around each turn, unless nil

	rates  []float64
	waited []time.Duration
}

var asked atomic.Int64 // numbers all requests

func (s *side) take(ctx context.Context, while time.Duration) error {
	got, err := s.run(ctx, while, &asked)
	if err == nil && len(got.others) > 0 {
		err = fmt.Errorf("%s returned %v instead of %d", s.address, got.others, s.want)
	}
	s.rates, s.waited = append(s.rates, got.rate()), append(s.waited, got.waited...)
	return err
}

// hold warms both sides up and then runs their turns. The order changes from round to round.
func (c contest) hold(ctx context.Context) ([]figure, error) {
	sides := []*side{&c.baseline, &c.ours}
	for _, s := range sides {
		s.atOnce = c.atOnce
		if _, err := s.run(ctx, turn/4, &asked); err != nil {
			return nil, err
		}
	}
	for range httpRounds {
		for _, s := range sides {
			take := func() error { return s.take(ctx, turn) }
			if s.during != nil {
				take = func() error { return s.during(ctx, s.address, func() error { return s.take(ctx, turn) }) }
			}
			if err := take(); err != nil {
				return nil, fmt.Errorf("%s: %w", c.what, err)
			}
		}
		slices.Reverse(sides)
	}
	return c.figures(), nil
}

func (c contest) figures() []figure {
	what := fmt.Sprintf("%s, %d at once", c.what, c.atOnce)
	if c.atOnce == 1 {
		what = c.what + ", one after the other"
	}
	compare := func(tail, unit string, of func(s side) float64, held target) figure {
		return figure{c.subject, what + tail, unit, of(c.baseline), c.beside, of(c.ours), held}
	}
	return []figure{
		compare("", "req/s", func(s side) float64 { return at(s.rates, 0.5) }, c.rate),
		compare(": p50", "ms", func(s side) float64 { return inMS(at(s.waited, 0.5)) }, target{}),
		compare(": p99", "ms", func(s side) float64 { return inMS(at(s.waited, 0.99)) }, c.wait),
	}
}

// connections are persistent, so that opening them is not measured.
var connections = &http.Transport{MaxIdleConnsPerHost: 64}

func callerOf(site string, header http.Header) *rig.Caller {
	c := rig.NewCaller(site, header)
	c.HTTP.Timeout, c.HTTP.Transport = time.Minute, connections
	return c
}

// from returns a caller with this network address in X-Forwarded-For.
func from(site, address string) *rig.Caller {
	return callerOf(site, http.Header{"X-Forwarded-For": {address}})
}

func ask(ctx context.Context, c *rig.Caller, method, path string, body, reply any) error {
	if a := c.Call(ctx, method, path, body, reply); a.Outcome != rig.Success {
		return fmt.Errorf("%s %s ended %s", method, path, a)
	}
	return nil
}

// repeatWithin is the timeout of repeat, long enough for a chaos run with the wait for the previous one, and for a
// late post.
const repeatWithin = 90 * time.Second

// repeat calls try every 250 ms until it is done or fails.
func repeat(ctx context.Context, try func() (done bool, err error)) (err error) {
	done := false
	cluster.Often(ctx, repeatWithin, 250*time.Millisecond, func() bool {
		done, err = try()
		return done || err != nil
	})
	if !done && err == nil {
		err = errors.Join(context.Cause(ctx), fmt.Errorf("not over within %v", repeatWithin))
	}
	return err
}

// pass sleeps, and returns an error if ctx ended before.
func pass(ctx context.Context, while time.Duration) error {
	if !cluster.Wait(ctx, while) {
		return context.Cause(ctx)
	}
	return nil
}
