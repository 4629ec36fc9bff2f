package x

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// numbered posts texts "0" to "n-1", a second apart, and gives their IDs, newest first.
func (w *world) numbered(n int) []string {
	w.t.Helper()
	var ids []string
	for i := range n {
		ids = append(ids, w.tweet(fmt.Sprint(i)))
		w.clock.advance(time.Second)
	}
	slices.Reverse(ids)
	return ids
}

// timeline reads one page of the account's own timeline.
func (w *world) timeline(query url.Values) (ids []string, answer reply) {
	w.t.Helper()
	answer = w.call(http.MethodGet, "/2/users/4242/tweets?"+query.Encode(), "")
	require.Equal(w.t, http.StatusOK, answer.status, answer.body)
	data, _ := answer.json(w.t)["data"].([]any)
	for _, t := range data {
		ids = append(ids, t.(map[string]any)["id"].(string))
	}
	return ids, answer
}

func TestTimelineSlices(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	start := w.clock.Now().UTC()
	ids := w.numbered(12)
	at := func(second int) string { return start.Add(time.Duration(second) * time.Second).Format(time.RFC3339) }
	for name, tt := range map[string]struct {
		query url.Values
		want  []string
	}{
		"ten by default, newest first":      {nil, ids[:10]},
		"as many as asked for":              {url.Values{"max_results": {"5"}}, ids[:5]},
		"what is newer than an ID":          {url.Values{"since_id": {ids[3]}}, ids[:3]},
		"what is older than an ID":          {url.Values{"until_id": {ids[3]}, "max_results": {"5"}}, ids[4:9]},
		"from the second of a tweet on":     {url.Values{"start_time": {at(9)}}, ids[:3]},
		"up to the second of a tweet":       {url.Values{"end_time": {at(2)}}, ids[9:]},
		"milliseconds are cut off":          {url.Values{"start_time": {strings.Replace(at(9), "Z", ".999Z", 1)}}, ids[:3]},
		"nothing from the future":           {url.Values{"start_time": {at(60)}}, nil},
		"without what is not there to omit": {url.Values{"exclude": {"retweets,replies"}, "max_results": {"100"}}, ids},
	} {
		got, answer := w.timeline(tt.query)
		require.Equal(t, tt.want, got, name)
		require.InDelta(t, len(tt.want), answer.at(t, "meta.result_count"), 0, name)
		if len(tt.want) > 0 {
			require.Equal(t, tt.want[0], answer.at(t, "meta.newest_id"), name)
			require.Equal(t, tt.want[len(tt.want)-1], answer.at(t, "meta.oldest_id"), name)
		}
	}
}

func TestTimelinePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.numbered(12)
	query := url.Values{"max_results": {"5"}}
	var got []string
	for {
		page, answer := w.timeline(query)
		got = append(got, page...)
		if len(got) == 5 {
			w.tweet("newer than the page that was read") // must not shift the next ones
		}
		next, more := answer.json(t)["meta"].(map[string]any)["next_token"].(string)
		if !more {
			break
		}
		query.Set("pagination_token", next)
	}
	require.Equal(t, ids, got)
}

func TestTimelineWithoutReplies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	parent := w.tweet("parent")
	w.call(http.MethodPost, "/2/tweets", `{"text":"child","reply":{"in_reply_to_tweet_id":"`+parent+`"}}`)
	ids, _ := w.timeline(url.Values{"exclude": {"replies"}})
	require.Equal(t, []string{parent}, ids)
}

func TestTimelineFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tweet("see example.com")
	w.clock.advance(4 * time.Minute)
	_, bare := w.timeline(nil)
	require.Len(t, bare.at(t, "data.0"), 3, "ID, text and edit history")
	for _, name := range []string{"tweet.fields", "post.fields"} {
		_, answer := w.timeline(url.Values{name: {"created_at,public_metrics,entities"}, "expansions": {"author_id"}})
		require.NotEmpty(t, answer.at(t, "data.0.created_at"))
		require.Equal(t, "http://example.com", answer.at(t, "data.0.entities.urls.0.expanded_url"))
		require.Positive(t, answer.at(t, "data.0.public_metrics.impression_count"))
		require.Equal(t, "Customer Zero", answer.at(t, "includes.users.0.name"))
	}
}

func TestReadsThatXRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	many := strings.TrimSuffix(strings.Repeat("1,", 101), ",")
	for path, message := range map[string]string{
		"/2/users/4242/tweets?max_results=4":        "The `max_results` query parameter value [4] is not between 5 and 100",
		"/2/users/4242/tweets?max_results=101":      "[101] is not between 5 and 100",
		"/2/users/4242/tweets?max_results=x":        "[x] is not between 5 and 100",
		"/2/users/4242/tweets?since_id=x":           "The `since_id` query parameter value [x] is not valid",
		"/2/users/4242/tweets?start_time=yesterday": "[yesterday] is not a valid RFC3339 date-time",
		"/2/users/4242/tweets?pagination_token=!":   "The `pagination_token` query parameter value [!] is not valid",
		"/2/users/4242/tweets?exclude=ads":          "is not one of [retweets,replies]",
		"/2/users/4242/tweets?tweet.fields=bogus":   "The `tweet.fields` query parameter value [bogus] is not one of [article,",
		"/2/users/4242/tweets?bogus=1":              "The query parameter [bogus] is not one of [tweet.fields,",
		"/2/tweets/abc":                             "The `id` query parameter value [abc] is not valid",
		"/2/tweets":                                 "query parameter list [0] is not between 1 and 100",
		"/2/tweets?ids=" + many:                     "query parameter list [101] is not between 1 and 100",
		"/2/tweets?ids=1,abc":                       "The `ids` query parameter value [abc] is not valid",
		"/2/users/me?expansions=bogus":              "The `expansions` query parameter value [bogus]",
	} {
		answer := w.call(http.MethodGet, path, "")
		require.Equal(t, http.StatusBadRequest, answer.status, path)
		require.Contains(t, answer.at(t, "errors.0.message"), message, path)
	}
}

func TestLookingUpSeveral(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.numbered(2)
	answer := w.call(http.MethodGet, "/2/tweets?ids="+ids[0]+",12,"+ids[1], "")
	require.Equal(t, http.StatusOK, answer.status)
	require.Equal(t, "1", answer.at(t, "data.0.text"))
	require.Equal(t, "0", answer.at(t, "data.1.text"))
	require.Equal(t, "12", answer.at(t, "errors.0.value"))
	none := w.call(http.MethodGet, "/2/tweets?ids=12", "")
	require.Equal(t, http.StatusOK, none.status)
	require.NotContains(t, none.json(t), "data")
}

func TestATimelineOfNobody(t *testing.T) {
	t.Parallel()
	answer := newWorld(t).call(http.MethodGet, "/2/users/99/tweets", "")
	require.Equal(t, http.StatusOK, answer.status)
	require.Equal(t, "Could not find user with id: [99].", answer.at(t, "errors.0.detail"))
}

func TestMe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	answer := w.call(http.MethodGet, "/2/users/me", "")
	require.JSONEq(t, `{"data":{"id":"4242","name":"Customer Zero","username":"customerzero"}}`, answer.body)
}
