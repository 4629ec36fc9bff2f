package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	xsandbox "customerzero/internal/sandbox/x"
)

// xStandIn is X, in our own process: it answers at once, knows no limit, outlives the product,
// and notes when what came. Its keys are no secrets: it listens on loopback and knows nobody.
type xStandIn struct {
	sandbox *xsandbox.Server
	server  *http.Server
	url     string

	mu   sync.Mutex
	came map[string]time.Time // when X was last asked to take a text
	held map[string]hold
}

// hold keeps an answer back until whoever asked is gone.
type hold struct {
	taken bool          // X has the text by then; else it never hears of it
	asked chan struct{} // closed when the answer is being kept back
}

const (
	xConsumerKey    = "bench-consumer-key"
	xConsumerSecret = "bench-consumer-secret"
	xAccessToken    = "4242-bench-access-token"
	xAccessSecret   = "bench-access-secret"
)

func startX() (*xStandIn, error) {
	sandbox, err := xsandbox.New(xsandbox.Config{
		ConsumerKey: xConsumerKey, ConsumerSecret: xConsumerSecret, AccessToken: xAccessToken, AccessSecret: xAccessSecret,
		UserID: "4242", Username: "customerzerobot", Limit: 1_000_000, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	x := &xStandIn{
		sandbox: sandbox, url: "http://" + listener.Addr().String(), came: map[string]time.Time{}, held: map[string]hold{},
	}
	x.server = &http.Server{Handler: x.watched(sandbox.Handler()), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = x.server.Serve(listener) }()
	return x, nil
}

func (x *xStandIn) close() error {
	_ = x.server.Close()
	return x.sandbox.Close()
}

// settings point a product here.
func (x *xStandIn) settings() []string {
	return []string{
		"X_BASE_URL=" + x.url, "X_CONSUMER_KEY=" + xConsumerKey, "X_CONSUMER_SECRET=" + xConsumerSecret,
		"X_ACCESS_TOKEN=" + xAccessToken, "X_ACCESS_SECRET=" + xAccessSecret,
	}
}

// keep keeps the next answer to a text back.
func (x *xStandIn) keep(text string, taken bool) (asked <-chan struct{}) {
	x.mu.Lock()
	defer x.mu.Unlock()
	h := hold{taken: taken, asked: make(chan struct{})}
	x.held[text] = h
	return h.asked
}

// when says when X was last asked to take a text; zero: never.
func (x *xStandIn) when(text string) time.Time {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.came[text]
}

func (x *xStandIn) watched(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/2/tweets" {
			next.ServeHTTP(w, r)
			return
		}
		now := time.Now()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		var tweet struct{ Text string }
		_ = json.Unmarshal(body, &tweet) // whatever it is, the sandbox answers it
		h, held := x.note(tweet.Text, now)
		if !held {
			next.ServeHTTP(w, r)
			return
		}
		if h.taken {
			next.ServeHTTP(unheard{http.Header{}}, r)
		}
		close(h.asked)
		<-r.Context().Done()
	})
}

func (x *xStandIn) note(text string, now time.Time) (h hold, held bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.came[text] = now
	h, held = x.held[text]
	delete(x.held, text)
	return h, held
}

// unheard is where an answer goes that nobody gets.
type unheard struct{ header http.Header }

func (u unheard) Header() http.Header            { return u.header }
func (u unheard) Write(text []byte) (int, error) { return len(text), nil }
func (u unheard) WriteHeader(int)                {}
