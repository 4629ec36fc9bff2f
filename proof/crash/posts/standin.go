package posts

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"

	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/proof/crash/rig"
)

// The stand-in's keys are no secrets: it listens on loopback and knows nobody.
const (
	consumerKey    = "crash-consumer-key"
	consumerSecret = "crash-consumer-secret"
	accessToken    = "4242-crash-access-token"
	accessSecret   = "crash-access-secret"
)

// standIn is X, in our own process: it outlives every kill, and so does its timeline.
type standIn struct {
	*xsandbox.Server
	url  string
	stop func()
}

func openStandIn(trap *rig.Trap) (*standIn, error) {
	sandbox, err := xsandbox.New(xsandbox.Config{
		ConsumerKey: consumerKey, ConsumerSecret: consumerSecret, AccessToken: accessToken, AccessSecret: accessSecret,
		UserID: "4242", Username: "customerzerobot", Limit: 1_000_000, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	listener, url, err := rig.Listen()
	if err != nil {
		return nil, err
	}
	return &standIn{sandbox, url, rig.Serve(listener, watched(sandbox.Handler(), trap))}, nil
}

func (x *standIn) close() {
	_ = x.Close()
	x.stop()
}

// fired counts the faults that hit a call, by kind.
func (x *standIn) fired(ctx context.Context) (map[string]int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, x.url+"/sandbox/x/faults", nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var board struct {
		Rules []struct {
			On, Fault string
			Fired     int
		}
	}
	counts := map[string]int{}
	err = json.Unmarshal(text, &board)
	for _, rule := range board.Rules {
		counts[rule.On+" "+rule.Fault] += rule.Fired
	}
	return counts, err
}

// watched tells the trap how far a call has got.
func watched(next http.Handler, trap *rig.Trap) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && r.URL.Path == "/2/tweets":
			trap.Reach(sending)
			w = &lateAnswer{w, trap}
			defer trap.ReachSoon(answered)
		case strings.HasSuffix(r.URL.Path, "/tweets"):
			defer trap.ReachSoon(looking)
		}
		next.ServeHTTP(w, r)
	})
}

// lateAnswer is an answer that the trap may hold up.
type lateAnswer struct {
	http.ResponseWriter
	trap *rig.Trap
}

func (a *lateAnswer) WriteHeader(status int) {
	a.trap.Reach(taken)
	a.ResponseWriter.WriteHeader(status)
}
