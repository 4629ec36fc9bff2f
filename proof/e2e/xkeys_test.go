package e2e

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
	"customerzero/internal/platform/testwait"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/workflows"
)

var ownTokens = bot.Tokens{AccessToken: accessToken, AccessSecret: accessSecret}

func (w *world) connect(t *testing.T, tokens bot.Tokens) bot.Connection {
	w.plant(tokens.AccessToken, tokens.AccessSecret)
	c, err := w.db.Bot.ProposeConnection(t.Context(), tokens, &w.grace.account.ID, time.Now())
	require.NoError(t, err)
	require.NoError(t, w.runs.TryConnection(t.Context(), c.ID))
	tried := fetch(t, w.db.Bot.ConnectionByID, c.ID)
	result := resultOf[workflows.CredentialsResult](t, w, workflows.CredentialsID(c.ID))
	require.Equal(t, workflows.CredentialsResult{State: tried.State, Code: tried.Code}, result)
	return tried
}

func (w *world) disconnect(t *testing.T) {
	fetch(t, w.db.Bot.Disconnect, time.Now())
}

var shownToken = regexp.MustCompile(`<dd><code>([^<]+)</code></dd>`)

// tokensOf creates tokens for an account on the sandbox's page.
func (w *world) tokensOf(t *testing.T, of xsandbox.Account) bot.Tokens {
	form := url.Values{"action": {"make"}, "account": {of.ID}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.xURL+"/sandbox/x/keys", strings.NewReader(form.Encode()))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := testwait.Client.Do(request)
	require.NoError(t, err)
	page, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	_, section, found := strings.Cut(string(page), `id="account-`+of.ID+`"`)
	require.True(t, found)
	shown := shownToken.FindAllStringSubmatch(section, 2)
	require.Len(t, shown, 2)
	return bot.Tokens{AccessToken: shown[0][1], AccessSecret: shown[1][1]}
}

func connected(t *testing.T, w *world) string {
	w.disconnect(t)
	c := w.connect(t, ownTokens)
	require.Equal(t, bot.Current, c.State)
	require.Equal(t, "4242", c.UserID)
	inUse, err := w.db.Bot.Connection(t.Context())
	require.NoError(t, err)
	require.Equal(t, c.ID, inUse.ID)
	return workflows.CredentialsID(c.ID)
}

// notConnected is a post that is due while the bot is not connected.
func notConnected(t *testing.T, w *world) string {
	w.disconnect(t)
	p := w.schedule(t, "all dressed up", 0)
	waits := w.waits(t, p.ID, post.CodeNotConnected)
	require.Equal(t, post.StatusScheduled, waits.Status)
	require.Zero(t, waits.Attempt)
	w.holds(t, 0, 1)

	require.Equal(t, bot.Current, w.connect(t, ownTokens).State)
	ended := w.ends(t, p.ID, post.StatusPublished)
	require.Equal(t, 1, ended.Attempt)
	w.isPublic(t, "all dressed up", 1)
	return workflows.PostID(p.ID)
}

var (
	goodKeys  = bot.Keys{ConsumerKey: consumerKey, ConsumerSecret: consumerSecret}
	staleKeys = bot.Keys{ConsumerKey: strings.Repeat("stale-canary-key", 2)[:25], ConsumerSecret: strings.Repeat("stale-canary-secret", 3)[:50]}
)

// useKeys makes keys current without trying them, such as keys that X has replaced.
func (w *world) useKeys(t *testing.T, keys bot.Keys) bot.ProviderKeys {
	proposed := w.proposeKeys(t, keys)
	used, err := w.db.Bot.ReplaceKeys(t.Context(), proposed.ID, "", time.Now())
	require.NoError(t, err)
	return used
}

func (w *world) proposeKeys(t *testing.T, keys bot.Keys) bot.ProviderKeys {
	w.plant(keys.ConsumerKey, keys.ConsumerSecret)
	proposed, err := w.db.Bot.ProposeKeys(t.Context(), keys, &w.grace.account.ID, time.Now())
	require.NoError(t, err)
	return proposed
}

// replaceKeys tries keys with the diagnostic, as the API does, and returns them.
func (w *world) replaceKeys(t *testing.T, keys bot.Keys) bot.ProviderKeys {
	proposed := w.proposeKeys(t, keys)
	require.NoError(t, w.runs.ReplaceKeys(t.Context(), proposed.ID))
	return w.keys(t, proposed.ID)
}

func (w *world) keys(t *testing.T, id string) bot.ProviderKeys {
	return fetch(t, w.db.Bot.KeysByID, id)
}

// newKeys leaves an open run that keeps the old keys for a day.
func newKeys(t *testing.T, w *world) string {
	w.useKeys(t, staleKeys)
	tried := w.replaceKeys(t, goodKeys)
	require.Equal(t, bot.KeysCurrent, tried.State, tried.Reason)
	id := workflows.ProviderKeysID(tried.ID)
	eventually(t, func(c *assert.CollectT) { // callers get the decision before
		events := w.history(t.Context(), t, id).Events
		require.Equal(c, enums.EVENT_TYPE_TIMER_STARTED, events[len(events)-1].EventType)
	})
	return id
}

// X has replaced the app's keys, so the old ones are invalid.
// Proves: F12
func TestKeysAreReplacedAndRolledBack(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		stale := w.useKeys(t, staleKeys)
		failed := w.schedule(t, "with the old keys", 0)
		require.Equal(t, "x_bad_token", w.becomes(t, failed.ID, post.StatusFailed).Code)

		fresh := w.replaceKeys(t, goodKeys)
		require.Equal(t, bot.KeysCurrent, fresh.State, fresh.Reason)
		require.Equal(t, bot.KeysPrevious, w.keys(t, stale.ID).State)
		require.NoError(t, w.runs.RetryPost(t.Context(), w.row(t, failed.ID)))
		w.ends(t, failed.ID, post.StatusPublished)

		back := fetch(t, w.db.Bot.RollBackKeys, time.Now())
		require.Equal(t, stale.ID, back.ID)
		again := w.schedule(t, "with the old keys again", 0)
		w.becomes(t, again.ID, post.StatusFailed)

		fetch(t, w.db.Bot.RollBackKeys, time.Now())
		_, result := w.diagnose(t)
		require.True(t, result.OK, "the valid keys are current again")
	})
}
