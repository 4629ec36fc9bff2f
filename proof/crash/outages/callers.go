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

// experimentID is the one that is there from the beginning, and open.
const experimentID = "001"

// patience is longer than anybody has to have: who waits longer was forgotten.
const patience = 3 * time.Minute

// call is something that was asked, and what was told.
type call struct {
	from, until time.Time
	vote        int    // a voter's
	text        string // an author's
	rig.Answer
}

func (c call) took() time.Duration { return c.until.Sub(c.from) }

// voter is a member who votes again and again.
type voter struct {
	*rig.Caller
	calls    rig.Notes[call] // one after the other
	memberID string
}

// newVoter enters a member with a session, as if somebody had paid and logged in.
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
		if _, err := w.DB.Books().ExecContext(ctx, row.insert, row.values...); err != nil {
			return nil, fmt.Errorf("enter a voter: %w", err)
		}
	}
	v := &voter{Caller: rig.NewCaller(w.URL, http.Header{"Cookie": {"session=" + token}}), memberID: "member-" + n}
	v.HTTP.Timeout = patience
	return v, nil
}

// vote votes for and against in turn, and reads in between, until it is told to stop. The last call comes to its end.
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

// author writes posts for another time. Whether they go out is for another crash test.
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

// eye asks all the time whether the product is ready.
type eye struct {
	url    string
	client http.Client
	seen   rig.Notes[sight]
}

// sight is one answer; no status: there was none.
type sight struct {
	asked, told time.Time
	status      int
}

func newEye(url string) *eye { return &eye{url: url, client: http.Client{Timeout: patience}} }

func (e *eye) look(ctx context.Context) {
	for cluster.Wait(ctx, 100*time.Millisecond) {
		one := sight{asked: time.Now()}
		_, one.status, _ = rig.Get(context.WithoutCancel(ctx), &e.client, e.url+"/readyz")
		one.told = time.Now()
		e.seen.Add(one)
	}
}

func (e *eye) readySince(when time.Time) bool {
	return e.saw(func(s sight) bool { return s.status == http.StatusOK && s.asked.After(when) })
}

func (e *eye) saw(such func(sight) bool) bool {
	return slices.ContainsFunc(e.seen.All(), such)
}

// told says whether somebody was told that the product was not ready, about that time.
func (e *eye) told(from, until time.Time) bool {
	return e.saw(func(s sight) bool {
		return s.status == http.StatusServiceUnavailable && s.told.After(from) && s.asked.Before(until)
	})
}

// slowest is the longest that anybody waited to hear whether it is ready.
func (e *eye) slowest() (longest time.Duration) {
	for _, s := range e.seen.All() {
		longest = max(longest, s.told.Sub(s.asked))
	}
	return longest
}

// vitals are what a process holds.
type vitals struct{ goroutines, files int }

// vitals asks the API for its own.
func (w *world) vitals(ctx context.Context) (v vitals, err error) {
	text, status, err := rig.Get(ctx, &w.eye.client, w.URL+"/metrics")
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
		err = errors.Join(err, fmt.Errorf("the API does not report what it holds: %d", status))
	}
	return v, err
}
