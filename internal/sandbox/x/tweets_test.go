package x

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
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

	read := w.call(http.MethodGet, "/2/tweets/"+id+"?tweet.fields=created_at,public_metrics,entities,author_id,made_with_ai,"+
		"paid_partnership,conversation_id&expansions=author_id&user.fields=description,public_metrics", "")
	require.Equal(t, text, read.at(t, "data.text"))
	require.Equal(t, "4242", read.at(t, "data.author_id"))
	require.Equal(t, id, read.at(t, "data.conversation_id"))
	require.Equal(t, true, read.at(t, "data.made_with_ai"))
	require.Equal(t, true, read.at(t, "data.paid_partnership"))
	require.Equal(t, "customerzero", read.at(t, "includes.users.0.username"))
	require.InDelta(t, 1, read.at(t, "includes.users.0.public_metrics.tweet_count"), 0)
	require.Equal(t, w.clock.Now().UTC().Format("2006-01-02T15:04:05")+".000Z", read.at(t, "data.created_at"))
	require.Equal(t, "https://example.com/a?b=c&d=e", read.at(t, "data.entities.urls.0.expanded_url"))
	require.Equal(t, "http://example.org", read.at(t, "data.entities.urls.1.expanded_url"))
	require.Equal(t, "example.org", read.at(t, "data.entities.urls.1.display_url"))
	first := read.at(t, "data.entities.urls.0").(map[string]any)
	letters := []rune(text)
	require.Equal(t, first["url"], string(letters[int(first["start"].(float64)):int(first["end"].(float64))]))
	require.Equal(t, "👋 <b>&</b> https://example.com/a?b=c&d=e, example.org 今日", w.texts()[0])
}

func TestTweetsThatXRefuses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 281)
	for name, tt := range map[string]struct {
		body, kind, message string
	}{
		"no text":                    {`{}`, "", "Requires either text or media."},
		"only blanks":                {`{"text":" \n\t "}`, "", "Requires either text or media."},
		"281 letters":                {`{"text":"` + long + `"}`, "", "Your Tweet text is too long."},
		"141 wide letters":           {`{"text":"` + strings.Repeat("今", 141) + `"}`, "", "Your Tweet text is too long."},
		"a field X does not have":    {`{"text":"a","bogus":1}`, "", "$.bogus: is not defined in the schema and the schema does not allow additional properties"},
		"a field in other letters":   {`{"Text":"a"}`, "", "$.Text: is not defined"},
		"a reply with another field": {`{"text":"a","reply":{"to":"1"}}`, "", "$.reply.to: is not defined"},
		"a reply to no number":       {`{"text":"a","reply":{"in_reply_to_tweet_id":"abc"}}`, "", "does not match the regex pattern"},
		"a reply that is no object":  {`{"text":"a","reply":"1"}`, "", "$.reply: object expected"},
		"a text that is a number":    {`{"text":1}`, "", "$.text: number found, string expected"},
		"no object":                  {`["text"]`, "", "not a valid JSON object"},
		"half an object":             {`{"text":`, "", "not a valid JSON object"},
		"a byte order mark":          {`{"text":"a\uFEFFb"}`, "", "invalid characters"},
		"a form":                     {`text=a`, formType, "Requests with bodies must have content-type of application/json."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r := w.request(http.MethodPost, "/2/tweets", tt.body)
			if tt.kind != "" {
				r.Header.Set("Content-Type", tt.kind)
			}
			response, err := w.client.Do(r)
			require.NoError(t, err)
			answer := read(t, response)
			require.Equal(t, http.StatusBadRequest, answer.status, answer.body)
			require.Contains(t, answer.at(t, "errors.0.message"), tt.message)
			require.Equal(t, "Invalid Request", answer.at(t, "title"))
			require.Equal(t, typeInvalid, answer.at(t, "type"))
			require.Empty(t, w.sandbox.Tweets())
		})
	}
}

func TestATweetOf280IsAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tweet(strings.Repeat("x", 256) + " https://example.com/" + strings.Repeat("long", 50))
	w.tweet(strings.Repeat("今", 140))
}

// Proves: F11
func TestDuplicates(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		text, author string
		after        time.Duration
		deleted      bool
		err          error
	}{
		"the same text a minute later is refused":    {text: "hello", author: "1", after: time.Minute, err: errDuplicate},
		"the same text just within a day is refused": {text: "hello", author: "1", after: 24*time.Hour - 1, err: errDuplicate},
		"the same text a day later is accepted":      {text: "hello", author: "1", after: 24 * time.Hour},
		"the same text by somebody else is accepted": {text: "hello", author: "2", after: time.Minute},
		"another text is accepted":                   {text: "hello!", author: "1", after: time.Minute},
		"the same text after a deletion is accepted": {text: "hello", author: "1", after: time.Minute, deleted: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ticking := &clock{now: at}
			st, _, err := newState("", grant{}, ticking.Now)
			require.NoError(t, err)
			first, err := st.accept(Tweet{AuthorID: "1", Text: "hello"}, 0)
			require.NoError(t, err)
			if tt.deleted {
				require.NoError(t, st.remove(first.ID, "1"))
			}
			ticking.advance(tt.after)
			_, err = st.accept(Tweet{AuthorID: tt.author, Text: tt.text}, 0)
			require.ErrorIs(t, err, tt.err)
		})
	}
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

func TestReplies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	parent := w.tweet("parent")
	answer := w.call(http.MethodPost, "/2/tweets", `{"text":"child","reply":{"in_reply_to_tweet_id":"`+parent+`"}}`)
	require.Equal(t, http.StatusCreated, answer.status)
	child := w.call(http.MethodGet, "/2/tweets/"+answer.at(t, "data.id").(string)+"?tweet.fields=referenced_tweets,conversation_id", "")
	require.Equal(t, parent, child.at(t, "data.referenced_tweets.0.id"))
	require.Equal(t, parent, child.at(t, "data.conversation_id"))

	answer = w.call(http.MethodPost, "/2/tweets", `{"text":"orphan","reply":{"in_reply_to_tweet_id":"99"}}`)
	require.Equal(t, http.StatusForbidden, answer.status)
	require.Contains(t, answer.at(t, "detail"), "deleted or not visible")
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

	gone := w.call(http.MethodGet, "/2/tweets/"+id, "")
	require.Equal(t, http.StatusOK, gone.status)
	require.JSONEq(t, fmt.Sprintf(`{"errors":[{"value":%[1]q,"detail":"Could not find tweet with id: [%[1]s].","title":"Not Found Error",`+
		`"resource_type":"tweet","parameter":"id","resource_id":%[1]q,"type":%[2]q}]}`, id, typeNotFound), gone.body)
	require.False(t, w.sandbox.Tweets()[0].DeletedAt.IsZero())
}

func TestParallelPosts(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/x.jsonl"
	w := newWorld(t, func(c *Config) { c.File = file })
	var wait sync.WaitGroup
	for i := range 100 {
		wait.Go(func() { w.tweet(fmt.Sprintf("post %d", i)) })
	}
	wait.Wait()
	tweets := w.sandbox.Tweets()
	require.Len(t, tweets, 100)
	for i := range tweets[1:] {
		require.Negative(t, compareIDs(tweets[i].ID, tweets[i+1].ID), "IDs grow")
	}
	answer := w.call(http.MethodPost, "/2/tweets", `{"text":"one too many"}`)
	require.Equal(t, http.StatusTooManyRequests, answer.status)
	require.JSONEq(t, `{"title":"Too Many Requests","type":"about:blank","status":429,"detail":"Too Many Requests"}`, answer.body)

	again, torn, err := newState(file, grant{}, time.Now)
	require.NoError(t, err)
	require.Zero(t, torn)
	require.Len(t, again.all(), 100)
}

func TestParallelDuplicatesAreAcceptedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	statuses := make(chan int, 50)
	var wait sync.WaitGroup
	for range cap(statuses) {
		wait.Go(func() { statuses <- w.call(http.MethodPost, "/2/tweets", `{"text":"me first"}`).status })
	}
	wait.Wait()
	close(statuses)
	created := 0
	for status := range statuses {
		if status == http.StatusCreated {
			created++
		}
	}
	require.Equal(t, 1, created)
	require.Len(t, w.sandbox.Tweets(), 1)
}

func TestMetricsGrowAndNeverShrink(t *testing.T) {
	t.Parallel()
	for i := range 200 {
		id := fmt.Sprint(1_900_000_000_000_000_000 + i)
		before := Metrics{}
		require.Equal(t, before, metricsAt(id, -time.Minute))
		require.Equal(t, before, metricsAt(id, 0))
		for _, age := range []time.Duration{time.Minute, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 10 * 365 * 24 * time.Hour} {
			m := metricsAt(id, age)
			require.GreaterOrEqual(t, m.Impressions, before.Impressions)
			require.GreaterOrEqual(t, m.Likes, before.Likes)
			require.GreaterOrEqual(t, m.Reposts, before.Reposts)
			require.GreaterOrEqual(t, m.Replies, before.Replies)
			require.LessOrEqual(t, m.Likes, m.Impressions)
			before = m
		}
		require.Positive(t, before.Likes)
		require.LessOrEqual(t, before.Impressions, 4200)
	}
}

// These numbers are a promise: tests elsewhere may name them.
func TestMetricsOfOneTweet(t *testing.T) {
	t.Parallel()
	require.Equal(t, Metrics{Impressions: 3553, Likes: 67, Replies: 10, Reposts: 6, Bookmarks: 4},
		metricsAt("1900000000000000000", 24*time.Hour))
	require.NotEqual(t, metricsAt("1900000000000000000", 24*time.Hour), metricsAt("1900000000000000001", 24*time.Hour))
}

func TestIDsGrow(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_780_000_000_123)
	id := nextID(now, 0)
	require.Equal(t, now.UnixMilli(), id>>snowflakeShift+snowflakeEpoch, "an ID tells its time")
	require.Equal(t, id+1, nextID(now, id), "the clock stands still")
	require.Equal(t, id+1, nextID(now.Add(-time.Hour), id), "the clock runs back")
	require.Greater(t, nextID(now.Add(time.Millisecond), id), id+1)
	require.Positive(t, nextID(time.Unix(0, 0), 0))
}

func TestCompareIDs(t *testing.T) {
	t.Parallel()
	require.Negative(t, compareIDs("9", "10"))
	require.Positive(t, compareIDs("11", "10"))
	require.Zero(t, compareIDs("010", "10"))
}
