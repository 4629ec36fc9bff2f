package posts

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/proof/crash/rig"
)

// The sandbox's keys are no secrets: it listens on loopback and knows nobody.
const (
	consumerKey    = "crash-consumer-key"
	consumerSecret = "crash-consumer-secret"
	accessToken    = "4242-crash-access-token"
	accessSecret   = "crash-access-secret"
)

// sandbox is X, in our own process: it outlives every kill, and so does its timeline.
type sandbox struct {
	*xsandbox.Server
	url  string
	stop func()
}

func openSandbox(trap *rig.Trap) (*sandbox, error) {
	server, err := xsandbox.New(xsandbox.Config{
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
	return &sandbox{server, url, rig.Serve(listener, watched(server.Handler(), trap))}, nil
}

func (x *sandbox) close() {
	_ = x.Close()
	x.stop()
}

// watched tells the trap how far a call has got.
func watched(next http.Handler, trap *rig.Trap) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && r.URL.Path == "/2/tweets":
			trap.Reach(sending)
			w = &rig.LateAnswer{ResponseWriter: w, Trap: trap, Moment: taken}
			defer trap.ReachSoon(answered)
		case strings.HasSuffix(r.URL.Path, "/tweets"):
			defer trap.ReachSoon(looking)
		}
		next.ServeHTTP(w, r)
	})
}

// sendTimeout is how long X may take to answer. All of the product's waits follow from it.
const sendTimeout = 500 * time.Millisecond

// texts hold what X shows in another form than it was written in.
var texts = []string{
	"Release %d is out. Notes at https://example.com/notes/%d?a=1&b=2 as always.",
	"No. %d: 1 < 2 && 3 > 2, says example.com/Path/%d/",
	"Straße %d, naïve café, 東京 🎉 %d",
	"Plain words, number %d of series %d.",
}

func newText(chance *rand.Rand, n int, seed uint64) string {
	return fmt.Sprintf(texts[chance.IntN(len(texts))], n+1, seed%1_000_000)
}

// shares say how many calls each fault hits. A late tweet stays within the time that the
// product waits before it looks; beyond it, nobody can tell a late tweet from none.
var shares = []xsandbox.Rule{
	{On: xsandbox.OnPost, Fault: xsandbox.Forbidden, Rate: 0.06}, // a clear no: these fail, and give everything back
	{On: xsandbox.OnPost, Fault: xsandbox.DropAfter, Rate: 0.07},
	{On: xsandbox.OnPost, Fault: xsandbox.HangAfter, Rate: 0.06},
	{On: xsandbox.OnPost, Fault: xsandbox.UnavailableAfter, Rate: 0.06},
	{On: xsandbox.OnPost, Fault: xsandbox.Truncate, Rate: 0.05},
	{On: xsandbox.OnPost, Fault: xsandbox.Late, Rate: 0.04, Delay: sendTimeout},
	{On: xsandbox.OnPost, Fault: xsandbox.Unavailable, Rate: 0.06},
	{On: xsandbox.OnPost, Fault: xsandbox.DropBefore, Rate: 0.04},
	{On: xsandbox.OnPost, Fault: xsandbox.HangBefore, Rate: 0.04},
	{On: xsandbox.OnPost, Fault: xsandbox.RateLimit, Rate: 0.08, Delay: 2 * time.Second},
	{On: xsandbox.OnPost, Fault: xsandbox.Slow, Rate: 0.05, Delay: sendTimeout / 2},
	{On: xsandbox.OnPost, Fault: xsandbox.Slow, Rate: 0.04, Delay: 2 * sendTimeout},
	{On: xsandbox.OnPost, Fault: xsandbox.NoCredits, Rate: 0.07},
	{On: xsandbox.OnRead, Fault: xsandbox.Unavailable, Rate: 0.08},
	{On: xsandbox.OnRead, Fault: xsandbox.DropBefore, Rate: 0.05},
	{On: xsandbox.OnRead, Fault: xsandbox.HangAfter, Rate: 0.05},
	{On: xsandbox.OnRead, Fault: xsandbox.Truncate, Rate: 0.05},
	{On: xsandbox.OnRead, Fault: xsandbox.RateLimit, Rate: 0.06, Delay: time.Second},
	{On: xsandbox.OnRead, Fault: xsandbox.NoCredits, Rate: 0.05}, // the timeline cannot be read: unknown
}

func planFaults(chance *rand.Rand, seed uint64) xsandbox.Faults {
	faults := xsandbox.Faults{Seed: seed}
	for _, rule := range shares {
		rule.Rate *= 0.5 + chance.Float64()
		faults.Rules = append(faults.Rules, rule)
	}
	return faults
}
