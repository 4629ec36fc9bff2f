package x

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestATweetComesBackAsXShowsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	answer := w.call(http.MethodPost, "/2/tweets",
		`{"text":" 👋 <b>&</b> https://example.com/a?b=c&d=e, example.org 今日 ","made_with_ai":true,"paid_partnership":true}`)
	require.Equal(t, http.StatusCreated, answer.status, answer.body)
	id := answer.at(t, "data.id").(string)
	require.Equal(t, id, answer.at(t, "data.edit_history_tweet_ids.0"))
	text := answer.at(t, "data.text").(string)
	require.Regexp(t, `^👋 &lt;b&gt;&amp;&lt;/b&gt; https://t\.co/\w{10}, https://t\.co/\w{10} 今日$`, text)

	w.clock.advance(4 * time.Minute)
	var read reply
	for _, path := range []string{"/2/tweets?ids=" + id, "/2/users/4242/tweets?max_results=5"} {
		require.Len(t, w.call(http.MethodGet, path, "").at(t, "data.0"), 3, "ID, text and edit history")
		for _, name := range []string{"tweet.fields", "post.fields"} {
			read = w.call(http.MethodGet, path+"&"+name+"=created_at,public_metrics,entities,author_id,made_with_ai,paid_partnership", "")
			for field, want := range map[string]any{
				"text": text, "author_id": "4242", "made_with_ai": true, "paid_partnership": true,
				"created_at":                   w.clock.Now().Add(-4*time.Minute).UTC().Format("2006-01-02T15:04:05") + ".000Z",
				"entities.urls.0.expanded_url": "https://example.com/a?b=c&d=e",
				"entities.urls.1.expanded_url": "http://example.org",
				"entities.urls.1.display_url":  "example.org",
			} {
				require.Equal(t, want, read.at(t, "data.0."+field), field)
			}
			require.Positive(t, read.at(t, "data.0.public_metrics.impression_count"))
		}
	}
	first := read.at(t, "data.0.entities.urls.0").(map[string]any)
	letters := []rune(text)
	require.Equal(t, first["url"], string(letters[int(first["start"].(float64)):int(first["end"].(float64))]))
	require.Equal(t, "👋 <b>&</b> https://example.com/a?b=c&d=e, example.org 今日", w.texts()[0])
}

func TestTweetsThatXRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tt := range map[string]struct{ body, kind, message string }{
		"no text":                 {`{}`, "", "Requires either text or media."},
		"only blanks":             {`{"text":" \n\t "}`, "", "Requires either text or media."},
		"281 letters":             {`{"text":"` + strings.Repeat("x", 281) + `"}`, "", "Your Tweet text is too long."},
		"141 wide letters":        {`{"text":"` + strings.Repeat("今", 141) + `"}`, "", "Your Tweet text is too long."},
		"a field X does not have": {`{"text":"a","bogus":1}`, "", "$.bogus: is not defined in the schema and the schema does not allow additional properties"},
		"a field in capitals":     {`{"Text":"a"}`, "", "$.Text: is not defined"},
		"a text that is a number": {`{"text":1}`, "", "$.text: number found, string expected"},
		"no object":               {`["text"]`, "", "not a valid JSON object"},
		"half an object":          {`{"text":`, "", "not a valid JSON object"},
		"a byte order mark":       {`{"text":"a\uFEFFb"}`, "", "invalid characters"},
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
	// As long as can be.
	w.tweet(strings.Repeat("x", 256) + " https://example.com/" + strings.Repeat("long", 50))
	w.tweet(strings.Repeat("今", 140))
}

// Proves: F11
func TestADuplicateIsRefusedInXsWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tweet("hello")
	answer := w.call(http.MethodPost, "/2/tweets", `{"text":"hello "}`)
	require.Equal(t, http.StatusForbidden, answer.status)
	require.JSONEq(t, `{"detail":"You are not allowed to create a Tweet with duplicate content.","type":"about:blank",`+
		`"title":"Forbidden","status":403}`, answer.body)
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
	require.Equal(t, http.StatusNotFound, w.call(http.MethodDelete, "/2/tweets/"+id, "").status)

	gone := w.call(http.MethodGet, "/2/tweets?ids="+id, "")
	require.Equal(t, http.StatusOK, gone.status)
	require.JSONEq(t, fmt.Sprintf(`{"errors":[{"value":%[1]q,"detail":"Could not find tweet with ids: [%[1]s].","title":"Not Found Error",`+
		`"resource_type":"tweet","parameter":"ids","resource_id":%[1]q,"type":%[2]q}]}`, id, typeNotFound), gone.body)
	require.False(t, w.sandbox.Tweets()[0].DeletedAt.IsZero())
}

// numbered posts texts "0" to "n-1", a second apart, and lists their IDs, newest first.
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
		"from the second of a tweet on":     {url.Values{"start_time": {at(9)}}, ids[:3]},
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

func TestReadsThatXRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	many := strings.TrimSuffix(strings.Repeat("1,", 101), ",")
	for path, message := range map[string]string{
		"/2/users/4242/tweets?max_results=4":        "The `max_results` query parameter value [4] is not between 5 and 100",
		"/2/users/4242/tweets?max_results=101":      "[101] is not between 5 and 100",
		"/2/users/4242/tweets?max_results=x":        "[x] is not between 5 and 100",
		"/2/users/4242/tweets?start_time=yesterday": "[yesterday] is not a valid RFC3339 date-time",
		"/2/users/4242/tweets?pagination_token=!":   "The `pagination_token` query parameter value [!] is not valid",
		"/2/users/4242/tweets?exclude=ads":          "is not one of [retweets,replies]",
		"/2/users/4242/tweets?tweet.fields=bogus":   "The `tweet.fields` query parameter value [bogus] is not one of [author_id,",
		"/2/users/4242/tweets?bogus=1":              "The query parameter [bogus] is not one of [tweet.fields,",
		"/2/tweets":                                 "query parameter list [0] is not between 1 and 100",
		"/2/tweets?ids=" + many:                     "query parameter list [101] is not between 1 and 100",
		"/2/tweets?ids=1,abc":                       "The `ids` query parameter value [abc] is not valid",
		"/2/users/me?post.fields=bogus":             "The `post.fields` query parameter value [bogus]",
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
	unknown := w.call(http.MethodGet, "/2/users/99/tweets", "")
	require.Equal(t, http.StatusOK, unknown.status)
	require.Equal(t, "Could not find user with id: [99].", unknown.at(t, "errors.0.detail"))
}

func TestLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for call, limit := range map[string]string{
		"GET /2/users/me": "75", "GET /2/users/4242/tweets": "900", "GET /2/tweets?ids=1": "5000", "DELETE /2/tweets/1": "50", "POST /2/tweets": "100",
	} {
		method, path, _ := strings.Cut(call, " ")
		header := w.call(method, path, "").header
		require.Equal(t, limit, header.Get("x-rate-limit-limit"), call)
		require.Equal(t, strconv.FormatInt(unixCeil(w.clock.Now().Add(shortWindow)), 10), header.Get("x-rate-limit-reset"), call)
	}
	w = newWorld(t, func(c *Config) { c.Limit = 2 })
	for i, status := range []int{201, 201, 429, 429} {
		answer := w.call(http.MethodPost, "/2/tweets", fmt.Sprintf(`{"text":"%d"}`, i))
		require.Equal(t, status, answer.status, answer.body)
		require.Equal(t, strconv.Itoa(max(0, 1-i)), answer.header.Get("x-rate-limit-remaining"))
		if status == http.StatusTooManyRequests {
			require.JSONEq(t, `{"title":"Too Many Requests","type":"about:blank","status":429,"detail":"Too Many Requests"}`, answer.body)
		}
	}
	require.Equal(t, http.StatusOK, w.me().status, "other calls have limits of their own")
	require.Len(t, w.texts(), 2)
}

func TestAWindowOpensAgain(t *testing.T) {
	t.Parallel()
	ticking := &clock{now: time.Unix(1_800_000_000, 0)}
	l := newLimits(ticking.Now)
	for _, step := range []struct {
		after time.Duration
		free  bool
	}{{0, true}, {0, false}, {shortWindow - 1, false}, {1, true}} {
		ticking.advance(step.after)
		w, free := l.consume("a", 1)
		require.Equal(t, step.free, free)
		if step.after == shortWindow-1 {
			require.Equal(t, ticking.Now().Add(1), w.reset)
		}
	}
}
