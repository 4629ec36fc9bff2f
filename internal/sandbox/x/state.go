package x

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"customerzero/internal/sandbox/journal"
)

// duplicateWindow is how long X refuses the same author's repeated text.
const duplicateWindow = 24 * time.Hour

var (
	errDuplicate = errors.New("duplicate")
	errNoTweet   = errors.New("no such tweet")
	errNotYours  = errors.New("another author's tweet")
)

// state is X's state. Changes are written to the journal before they are applied.
type state struct {
	now func() time.Time

	mu      sync.RWMutex
	journal *journal.Journal
	lastID  int64
	tweets  []*Tweet          // oldest first
	byID    map[string]*Tweet // deleted ones too
	latest  map[text]*Tweet   // the newest of each text
	own     grant             // configured; may have no token
	made    map[string]grant  // created on the consent or the keys page, by account
}

// text identifies an author's text.
type text struct{ author, text string }

// newState replays the journal.
func newState(file string, own grant, now func() time.Time, log *slog.Logger) (*state, error) {
	st := &state{now: now, own: own, byID: map[string]*Tweet{}, latest: map[text]*Tweet{}, made: map[string]grant{}}
	var err error
	st.journal, err = journal.Open(file, log, st.replay)
	return st, err
}

// replay applies an entry of the journal.
func (st *state) replay(e entry) error {
	switch {
	case e.Op == opTweet && e.Tweet != nil && validID.MatchString(e.Tweet.ID):
		st.add(e.Tweet)
	case e.Op == opDelete && st.byID[e.ID] != nil:
		st.byID[e.ID].DeletedAt = e.At
	case e.Op == opGrant:
		st.made[e.UserID] = grant{token: e.Token, secret: e.Secret, userID: e.UserID}
	case e.Op == opRevoke:
		maps.DeleteFunc(st.made, func(_ string, g grant) bool { return g.token == e.Token })
	default:
		return fmt.Errorf("unknown entry %q", e.Op)
	}
	return nil
}

// add appends a tweet to the timeline.
func (st *state) add(t *Tweet) {
	st.lastID = parseID(t.ID)
	st.tweets = append(st.tweets, t)
	st.byID[t.ID] = t
	st.latest[text{t.AuthorID, t.Text}] = t
}

// accept stores a tweet or returns why X refuses it. The tweet is visible after hold; its duplicates
// are refused at once.
func (st *state) accept(draft Tweet, hold time.Duration) (Tweet, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	now := st.now().UTC()
	if before := st.latest[text{draft.AuthorID, draft.Text}]; before != nil &&
		before.DeletedAt.IsZero() && now.Sub(before.CreatedAt) < duplicateWindow {
		return Tweet{}, errDuplicate
	}
	draft.ID = strconv.FormatInt(nextID(now, st.lastID), 10)
	draft.CreatedAt = now.Truncate(time.Millisecond)
	if hold > 0 {
		draft.VisibleAt = now.Add(hold)
	}
	if err := st.journal.Append(entry{Op: opTweet, At: now, Tweet: &draft}); err != nil {
		return Tweet{}, err
	}
	st.add(&draft)
	return draft, nil
}

func (st *state) remove(id, author string) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	now := st.now().UTC()
	t := st.byID[id]
	switch {
	case t == nil || !t.visible(now):
		return errNoTweet
	case t.AuthorID != author:
		return errNotYours
	}
	if err := st.journal.Append(entry{Op: opDelete, At: now, ID: id}); err != nil {
		return err
	}
	t.DeletedAt = now
	return nil
}

// tweet returns a visible tweet.
func (st *state) tweet(id string) (Tweet, bool) {
	st.mu.RLock()
	defer st.mu.RUnlock()
	if t := st.byID[id]; t != nil && t.visible(st.now()) {
		return *t, true
	}
	return Tweet{}, false
}

// all returns all accepted tweets, oldest first.
func (st *state) all() []Tweet {
	st.mu.RLock()
	defer st.mu.RUnlock()
	found := make([]Tweet, 0, len(st.tweets))
	for _, t := range st.tweets {
		found = append(found, *t)
	}
	return found
}

// visible returns the visible tweets, newest first.
func (st *state) visible() []Tweet {
	now := st.now()
	found := slices.DeleteFunc(st.all(), func(t Tweet) bool { return !t.visible(now) })
	slices.Reverse(found)
	return found
}

// The kinds of journal entries.
const (
	opTweet  = "tweet"
	opDelete = "delete"
	opGrant  = "grant"
	opRevoke = "revoke"
)

// entry is one line of the journal.
type entry struct {
	Op     string    `json:"op"`
	At     time.Time `json:"at"`
	Tweet  *Tweet    `json:"tweet,omitempty"`
	ID     string    `json:"id,omitempty"`
	Token  string    `json:"token,omitempty"`
	Secret string    `json:"secret,omitempty"`
	UserID string    `json:"user_id,omitempty"`
}

// grant is an account's access token for the app. It does not expire.
type grant struct{ token, secret, userID string }

// grantFor returns the account's grant and creates it if necessary. As at X, an account has one grant until
// it is revoked.
func (st *state) grantFor(userID string) (grant, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if g, found := st.made[userID]; found {
		return g, nil
	}
	g := grant{token: userID + "-" + rand.Text(), secret: rand.Text() + rand.Text(), userID: userID}
	e := entry{Op: opGrant, At: st.now().UTC(), Token: g.token, Secret: g.secret, UserID: userID}
	if err := st.journal.Append(e); err != nil {
		return grant{}, err
	}
	st.made[userID] = g
	return g, nil
}

// grant returns the grant of a token.
func (st *state) grant(token string) (grant, bool) {
	st.mu.RLock()
	defer st.mu.RUnlock()
	for _, g := range st.made {
		if g.token == token {
			return g, true
		}
	}
	return st.own, token != "" && token == st.own.token
}

// grantOf returns the account's created grant, if it is not revoked.
func (st *state) grantOf(userID string) (grant, bool) {
	st.mu.RLock()
	defer st.mu.RUnlock()
	g, found := st.made[userID]
	return g, found
}

// revoke permanently invalidates the account's created grant.
func (st *state) revoke(userID string) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	g, found := st.made[userID]
	if !found {
		return nil
	}
	if err := st.journal.Append(entry{Op: opRevoke, At: st.now().UTC(), Token: g.token}); err != nil {
		return err
	}
	delete(st.made, userID)
	return nil
}
