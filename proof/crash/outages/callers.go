package outages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"customerzero/api/posts"
	"customerzero/internal/domain/account"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
)

// experimentID is an open experiment that every new database has.
const experimentID = "001"

// patience is the timeout of a call: longer than any call may take.
const patience = 3 * time.Minute

type call struct {
	from, until time.Time
	vote        int    // of a voter
	text        string // of an author
	rig.Answer
}

func (c call) took() time.Duration { return c.until.Sub(c.from) }

type voter struct {
	*rig.Caller
	calls    rig.Notes[call] // sequential
	memberID string
}

// newVoter inserts a member with an account and a session.
func (w *world) newVoter(ctx context.Context, i int) (*voter, error) {
	n, now, token := strconv.Itoa(i), time.Now().UTC(), account.NewToken()
	for _, row := range []struct {
		insert string
		values []any
	}{
		{
			`INSERT INTO members (id, username, username_key, status, payment_cents, joined_at) VALUES ($1, $2, $2, 'active', 900, $3)`,
			[]any{"member-" + n, "member" + n, now},
		},
		{
			`INSERT INTO accounts (id, x_handle, email, member_id, notices, created_at) VALUES ($1, '', $2, $3, false, $4)`,
			[]any{"account-" + n, n + "@example.com", "member-" + n, now},
		},
		{
			`INSERT INTO sessions (id, account_id, token_hash, provider, scope, device, created_at, seen_at, expires_at)
			 VALUES ($1, $2, $3, 'email', '', 'crash', $4, $4, $5)`,
			[]any{"session-" + n, "account-" + n, account.Hash(token), now, now.Add(time.Hour)},
		},
	} {
		if _, err := w.DB.SQL().ExecContext(ctx, row.insert, row.values...); err != nil {
			return nil, fmt.Errorf("insert a voter: %w", err)
		}
	}
	v := &voter{Caller: rig.NewCaller(w.URL, http.Header{"Cookie": {"session=" + token}}), memberID: "member-" + n}
	v.HTTP.Timeout = patience
	return v, nil
}

// vote votes up and down in turn, and reads in between, until ctx ends. The last call is completed.
func (v *voter) vote(ctx context.Context) {
	const pause = 60 * time.Millisecond // a member has 600 votes an hour
	for n := 0; cluster.Wait(ctx, pause); n++ {
		ctx := context.WithoutCancel(ctx)
		one := call{from: time.Now(), vote: 1 - 2*(n%2)}
		if n%3 == 2 {
			one.vote = 0
			one.Answer = v.Call(ctx, http.MethodGet, "/api/experiments", nil, &struct{}{})
		} else {
			one.Answer = v.Call(ctx, http.MethodPost, "/api/experiments/vote",
				map[string]any{"experimentId": experimentID, "vote": one.vote}, &struct{}{})
		}
		one.until = time.Now()
		v.calls.Add(one)
	}
}

type author struct {
	*rig.Caller
	calls rig.Notes[call]
}

func (a *author) write(ctx context.Context) {
	const pause = 200 * time.Millisecond
	day := time.Now().Add(31 * 24 * time.Hour)
	for n := 0; cluster.Wait(ctx, pause); n++ {
		one := call{from: time.Now(), text: fmt.Sprintf("written while something was broken, number %d", n)}
		one.Answer = a.Call(context.WithoutCancel(ctx), http.MethodPost, "/api/posts",
			posts.NewPost{Content: one.text, ScheduledAt: day.Format(time.RFC3339)}, &struct{}{})
		one.until = time.Now()
		a.calls.Add(one)
	}
}

type monitor struct {
	url    string
	client http.Client
	seen   rig.Notes[reply]
}

type reply struct {
	asked, answered time.Time
	status          int // 0 without a response
}

func newMonitor(url string) *monitor {
	return &monitor{url: url, client: http.Client{Timeout: patience}}
}

func (e *monitor) poll(ctx context.Context) {
	for cluster.Wait(ctx, 100*time.Millisecond) {
		one := reply{asked: time.Now()}
		_, one.status, _ = rig.Get(context.WithoutCancel(ctx), &e.client, e.url+"/readyz")
		one.answered = time.Now()
		e.seen.Add(one)
	}
}

func (e *monitor) readySince(when time.Time) bool {
	return e.saw(func(s reply) bool { return s.status == http.StatusOK && s.asked.After(when) })
}

func (e *monitor) saw(such func(reply) bool) bool {
	return slices.ContainsFunc(e.seen.All(), such)
}

// reportedUnready reports whether a response in this period was `not ready`.
func (e *monitor) reportedUnready(from, until time.Time) bool {
	return e.saw(func(s reply) bool {
		return s.status == http.StatusServiceUnavailable && s.answered.After(from) && s.asked.Before(until)
	})
}

func (e *monitor) slowest() (longest time.Duration) {
	for _, s := range e.seen.All() {
		longest = max(longest, s.answered.Sub(s.asked))
	}
	return longest
}

type resources struct{ goroutines, files int }

func (w *world) resources(ctx context.Context) (v resources, err error) {
	text, status, err := rig.Get(ctx, &w.monitor.client, w.URL+"/metrics")
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.ParseFloat(value, 64)
		switch name {
		case "go_goroutines":
			v.goroutines = int(n)
		case "process_open_fds":
			v.files = int(n)
		}
	}
	if v.goroutines == 0 || v.files == 0 {
		err = errors.Join(err, fmt.Errorf("the API's metrics lack goroutines or files: status %d", status))
	}
	return v, err
}
