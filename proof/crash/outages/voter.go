package outages

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"customerzero/api"
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

// vote votes for and against in turn, and reads in between, until it is told to stop. The last call
// comes to its end.
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
			api.NewPost{Content: one.text, ScheduledAt: day.Format(time.RFC3339)}, &struct{}{})
		one.until = time.Now()
		a.calls.Add(one)
	}
}
