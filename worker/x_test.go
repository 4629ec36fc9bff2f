package worker_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/worker"
)

// fakeX is a fake X that records its calls.
type fakeX struct {
	mu    sync.Mutex
	calls []string // path, key of the app, token
}

var signedWith = regexp.MustCompile(`oauth_(consumer_key|token)="([^"]*)"`)

func (l *fakeX) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	used := map[string]string{}
	for _, found := range signedWith.FindAllStringSubmatch(r.Header.Get("Authorization"), -1) {
		used[found[1]] = found[2]
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, r.URL.Path+" "+used["consumer_key"]+" "+used["token"])
	_ = json.NewEncoder(w).Encode(map[string]any{"data": map[string]string{"id": "4242", "username": "bot"}})
}

// newCalls returns the calls since the last time.
func (l *fakeX) newCalls() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	calls := l.calls
	l.calls = nil
	return calls
}

// xWorld is an X with its store.
type xWorld struct {
	*worker.X
	db    *store.DB
	other *fakeX
}

func newXWorld(t *testing.T) *xWorld {
	l := &xWorld{db: storetest.New(t, "sqlite"), other: &fakeX{}}
	server := httptest.NewServer(l.other)
	t.Cleanup(server.Close)
	l.X = &worker.X{Store: l.db.Bot, BaseURL: server.URL, Timeout: testwait.Limit}
	return l
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func (l *xWorld) useKeys(t *testing.T, key string) {
	must(l.db.Bot.ReplaceKeys(t.Context(), l.proposeKeys(t, key).ID, "run", time.Now()))
}

func (l *xWorld) proposeKeys(t *testing.T, key string) bot.ProviderKeys {
	return must(l.db.Bot.ProposeKeys(t.Context(), bot.Keys{ConsumerKey: key, ConsumerSecret: key + "-secret"}, nil, time.Now()))
}

func (l *xWorld) connect(t *testing.T, token string) (connectionID string) {
	c := must(l.db.Bot.ProposeConnection(t.Context(), bot.Tokens{AccessToken: token, AccessSecret: token + "-secret"}, nil, time.Now()))
	return must(l.db.Bot.Connect(t.Context(), c.ID, "4242", "bot", "run", time.Now())).ID
}

// publishes posts with the current connection, and checks the call of X.
func (l *xWorld) publishes(t *testing.T, connectionID, with string) {
	t.Helper()
	account, used, err := l.Account(t.Context())
	require.NoError(t, err)
	_, err = account.Publish(t.Context(), post.Draft{Text: "hello"})
	require.NoError(t, err)
	require.Equal(t, connectionID, used)
	require.Equal(t, []string{"/2/tweets " + with}, l.other.newCalls())
}

func (l *xWorld) isNotConnected(t *testing.T) {
	t.Helper()
	_, _, err := l.Account(t.Context())
	require.ErrorIs(t, err, post.ErrNotConnected)
}

// Proves: F33
func TestBotUsesTheCurrentConnection(t *testing.T) {
	t.Parallel()
	l := newXWorld(t)
	l.isNotConnected(t)
	first := l.connect(t, "token-1")
	l.isNotConnected(t) // without keys
	l.useKeys(t, "key-1")
	l.publishes(t, first, "key-1 token-1")

	second := l.connect(t, "token-2") // new tokens are used at once
	l.publishes(t, second, "key-1 token-2")
	l.useKeys(t, "key-2") // and so are new keys
	l.publishes(t, second, "key-2 token-2")
	must(l.db.Bot.RollBackKeys(t.Context(), time.Now()))
	l.publishes(t, second, "key-1 token-2")

	must(l.db.Bot.Disconnect(t.Context(), time.Now()))
	l.isNotConnected(t)
	third := newXWorld(t)
	third.useKeys(t, "key-1")
	third.isNotConnected(t) // without a connection
}

// TestXClientIsReused checks that the client is kept with the account's ID, because X bills that call.
func TestXClientIsReused(t *testing.T) {
	t.Parallel()
	l := newXWorld(t)
	l.useKeys(t, "key-1")
	account := func() any {
		account, _, err := l.Account(t.Context())
		require.NoError(t, err)
		return account
	}
	l.connect(t, "token-1")
	before := account()
	require.Same(t, before, account())
	l.connect(t, "token-1")
	require.NotSame(t, before, account())
}

func TestOwnerUsesTheCurrentKeys(t *testing.T) {
	t.Parallel()
	l := newXWorld(t)
	l.useKeys(t, "key-1")
	owner := must(l.Owner(t.Context(), bot.Tokens{AccessToken: "candidate", AccessSecret: "s"}))
	require.Equal(t, [2]string{"4242", "bot"}, [2]string{owner.ID, owner.Handle})
	require.Equal(t, []string{"/2/users/me key-1 candidate"}, l.other.newCalls())
}

func TestProbeAppUsesTheNamedKeys(t *testing.T) {
	t.Parallel()
	l := newXWorld(t)
	_, keys, err := l.ProbeApp(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, bot.Keys{}, keys, "none are empty: the diagnostic says so")
	require.Nil(t, must(l.BotTokens(t.Context())))

	l.useKeys(t, "key-1")
	l.connect(t, "token-1")
	candidate := l.proposeKeys(t, "key-2")
	require.Equal(t, &bot.Tokens{AccessToken: "token-1", AccessSecret: "token-1-secret"}, must(l.BotTokens(t.Context())))
	for id, key := range map[*string]string{nil: "key-1", &candidate.ID: "key-2"} {
		app, keys, err := l.ProbeApp(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, key, keys.ConsumerKey)
		app.ProbeAccount(t.Context(), "token-1", "token-1-secret")
		require.Equal(t, []string{"/2/users/me " + key + " token-1"}, l.other.newCalls())
	}
}

func TestLoginAppUsesTheCurrentKeys(t *testing.T) {
	t.Parallel()
	l := newXWorld(t)
	for _, key := range []string{"key-1", "key-2"} {
		l.useKeys(t, key)
		_, err := must(l.LoginApp(t.Context())).RequestToken(t.Context(), "https://zero.example/back")
		require.ErrorContains(t, err, "request token", "this X knows no logins")
		require.Equal(t, []string{"/oauth/request_token " + key + " "}, l.other.newCalls())
	}
}

func TestXConcurrentUse(t *testing.T) {
	t.Parallel()
	l := newXWorld(t)
	l.useKeys(t, "key-1")
	l.connect(t, "token-1")
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			_, _, err := l.Account(t.Context())
			if err == nil {
				_, err = l.LoginApp(t.Context())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
}
