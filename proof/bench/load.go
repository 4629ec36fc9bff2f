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

// load asks a server over connections that are kept, and over each of them the next thing when
// the answer to the one before is there. It speaks HTTP by itself: a client of the standard
// library would take more of the machine than some of the answers.
type load struct {
	address string // host:port
	atOnce  int
	ask     func(n int64) []byte // the n-th request, as it goes over the wire
	want    int                  // the status of a good answer
	most    int64                // answers, after which it ends; 0: its time decides
}

// loaded is what came of it.
type loaded struct {
	waited []time.Duration
	took   time.Duration
	others map[int]int // answers of another status than was wanted
}

func (l loaded) rate() float64 { return float64(len(l.waited)) / l.took.Seconds() }

// run asks for a while. An answer that was not wanted is an error, unless somebody counts them.
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
		return all, fmt.Errorf("%s gave no wanted answer within %v, but %v", l.address, while, all.others)
	}
	return all, nil
}

// one is one connection.
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

// wire is a request as it goes over the wire.
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

// always asks for the same.
func always(request []byte) func(int64) []byte { return func(int64) []byte { return request } }

// hostOf is where a site listens.
func hostOf(site string) string { return strings.TrimPrefix(site, "http://") }

// httpRounds is how often the baseline and the product take turns.
const httpRounds = 3

// turn is how long one of them is under load.
const turn = 1500 * time.Millisecond

// contest is one question to two servers, in turns.
type contest struct {
	subject, what, beside string

	baseline, ours side
	atOnce         int
	rate, wait     target // of answers a second, and of the wait of all but one in a hundred
}

// side is one of the two, and what it did.
type side struct {
	load
	during func(ctx context.Context, address string, turn func() error) error // nil: nothing goes on beside its turns

	rates  []float64
	waited []time.Duration
}

var asked atomic.Int64 // everything that is asked has a number of its own

func (s *side) take(ctx context.Context, while time.Duration) error {
	got, err := s.run(ctx, while, &asked)
	if err == nil && len(got.others) > 0 {
		err = fmt.Errorf("%s answered %v, %d was wanted", s.address, got.others, s.want)
	}
	s.rates, s.waited = append(s.rates, got.rate()), append(s.waited, got.waited...)
	return err
}

// hold lets both sides warm up, and then takes turns; who begins changes from round to round.
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

// connections are kept: opening one is not what is measured.
var connections = &http.Transport{MaxIdleConnsPerHost: 64}

// callerOf calls a product as one person does.
func callerOf(site string, header http.Header) *rig.Caller {
	c := rig.NewCaller(site, header)
	c.HTTP.Timeout, c.HTTP.Transport = time.Minute, connections
	return c
}

// from is a caller whose network address is this, as far as the product can know.
func from(site, address string) *rig.Caller {
	return callerOf(site, http.Header{"X-Forwarded-For": {address}})
}

// ask makes a call that has to succeed.
func ask(ctx context.Context, c *rig.Caller, method, path string, body, reply any) error {
	if a := c.Call(ctx, method, path, body, reply); a.Outcome != rig.Success {
		return fmt.Errorf("%s %s ended %s", method, path, a)
	}
	return nil
}

// repeatWithin is how long a chaos run may take, with the wait for the one before it, and a late post.
const repeatWithin = 90 * time.Second

// repeat tries four times a second until it is done.
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

// pass lets time pass.
func pass(ctx context.Context, while time.Duration) error {
	if !cluster.Wait(ctx, while) {
		return context.Cause(ctx)
	}
	return nil
}
