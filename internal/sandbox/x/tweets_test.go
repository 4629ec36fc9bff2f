package x

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

func TestTweetsThatXRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tt := range map[string]struct{ body, kind, message string }{
		"no text":                 {`{}`, "", "Requires either text or media."},
		"only blanks":             {`{"text":" \n\t "}`, "", "Requires either text or media."},
		"a field X does not have": {`{"text":"a","bogus":1}`, "", "$.bogus: is not defined in the schema and the schema does not allow additional properties"},
		"a field in capitals":     {`{"Text":"a"}`, "", "$.Text: is not defined"},
		"a text that is a number": {`{"text":1}`, "", "$.text: number found, string expected"},
		"a form":                  {`text=a`, formType, "Requests with bodies must have content-type of application/json."},
	} {
		r := w.request(http.MethodPost, "/2/tweets", tt.body)
		if tt.kind != "" {
			r.Header.Set("Content-Type", tt.kind)
		}
		answer := w.do(w.client, r)
		require.Equal(t, http.StatusBadRequest, answer.status, "%s: %s", name, answer.body)
		require.Contains(t, answer.at(t, "errors.0.message"), tt.message, name)
		require.Equal(t, "Invalid Request", answer.at(t, "title"), name)
		require.Equal(t, typeInvalid, answer.at(t, "type"), name)
	}
	require.Empty(t, w.texts())
	require.Equal(t, http.StatusRequestEntityTooLarge, w.call(http.MethodPost, "/2/tweets", `{"text":"`+strings.Repeat("x", maxBody)+`"}`).status)
}

func TestDeleting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.tweet("short-lived")
	grant, err := w.sandbox.state.grantFor("7")
	require.NoError(t, err)
	own := w.client
	w.client = w.signedBy(grant.token, grant.secret)
	require.Equal(t, http.StatusForbidden, w.call(http.MethodDelete, "/2/tweets/"+id, "").status)
	w.client = own

	answer := w.call(http.MethodDelete, "/2/tweets/"+id, "")
	require.Equal(t, http.StatusOK, answer.status)
	require.JSONEq(t, `{"data":{"deleted":true}}`, answer.body)
	require.False(t, w.sandbox.Tweets()[0].DeletedAt.IsZero())
}

func TestReadsThatXRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, message := range map[string]string{
		"/2/users/4242/tweets?max_results=4":        "The `max_results` query parameter value [4] is not between 5 and 100",
		"/2/users/4242/tweets?start_time=yesterday": "[yesterday] is not a valid RFC3339 date-time",
		"/2/users/4242/tweets?pagination_token=!":   "The `pagination_token` query parameter value [!] is not valid",
		"/2/users/4242/tweets?exclude=ads":          "is not one of [retweets,replies]",
		"/2/users/4242/tweets?tweet.fields=bogus":   "The `tweet.fields` query parameter value [bogus] is not one of [author_id,",
		"/2/users/4242/tweets?bogus=1":              "The query parameter [bogus] is not one of [tweet.fields,",
		"/2/tweets":                                 "query parameter list [0] is not between 1 and 100",
		"/2/tweets?ids=1,abc":                       "The `ids` query parameter value [abc] is not valid",
		"/2/users/me?post.fields=bogus":             "The `post.fields` query parameter value [bogus]",
	} {
		answer := w.call(http.MethodGet, path, "")
		require.Equal(t, http.StatusBadRequest, answer.status, path)
		require.Contains(t, answer.at(t, "errors.0.message"), message, path)
	}
}

func TestAWindowOpensAgain(t *testing.T) {
	t.Parallel()
	ticking := testwait.NewClock(time.Unix(1_800_000_000, 0))
	l := newLimits(ticking.Now)
	for _, step := range []struct {
		after time.Duration
		free  bool
	}{{0, true}, {0, false}, {shortWindow - 1, false}, {1, true}} {
		ticking.Advance(step.after)
		w, free := l.consume("a", 1)
		require.Equal(t, step.free, free)
		if step.after == shortWindow-1 {
			require.Equal(t, ticking.Now().Add(1), w.reset)
		}
	}
}
