package x

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAnEmptyTimeline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	page := w.get("/sandbox/x")
	require.Equal(t, http.StatusOK, page.status)
	for _, part := range []string{
		`<html lang="en">`, "<title>X sandbox</title>", "<header", `<main`, "<footer", "Nothing here reached X", "No posts yet", "@customerzero",
	} {
		require.Contains(t, page.body, part)
	}
	require.NotContains(t, page.body, "Faults are switched on")
}

func TestTheTimelineShowsTweetsAsPeopleSeeThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	answer := w.call(http.MethodPost, "/2/tweets",
		`{"text":"<script>alert(1)</script> & https://example.com/?a=1&b=2 now","made_with_ai":true,"paid_partnership":true}`)
	id := answer.at(t, "data.id").(string)
	deleted := w.tweet("deleted")
	w.call(http.MethodDelete, "/2/tweets/"+deleted, "")
	_, err := w.sandbox.state.accept(Tweet{AuthorID: "4242", Text: "late"}, time.Hour)
	require.NoError(t, err)
	w.clock.advance(4 * time.Minute)

	for _, path := range []string{"/sandbox/x", "/sandbox/x/status/" + id} {
		page := w.get(path)
		require.Equal(t, http.StatusOK, page.status)
		for _, part := range []string{
			"&lt;script&gt;alert(1)&lt;/script&gt; &amp; ", `href="https://example.com/?a=1&amp;b=2"`, ">example.com/?a=1&amp;b=2</a>",
			"Made with AI", "Paid partnership", "4 min ago", "<time datetime=", "UTC", " views</span>", `aria-hidden="true">C</span>`,
		} {
			require.Contains(t, page.body, part)
		}
		require.NotContains(t, page.body, "<script")
		require.NotContains(t, page.body, "deleted")
		require.NotContains(t, page.body, ">late<")
		require.NotContains(t, page.body, "style=")
	}
	require.Equal(t, http.StatusNotFound, w.get("/sandbox/x/status/"+deleted).status)
}

func TestPagesLoadNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	page := w.get("/sandbox/x")
	require.Equal(t, "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'self'; "+
		"form-action 'self'", page.header.Get("Content-Security-Policy"))
	require.Equal(t, "nosniff", page.header.Get("X-Content-Type-Options"))
	for asset, kind := range map[string]string{"base.css": "text/css", "style.css": "text/css", "icon.svg": "image/svg+xml"} {
		require.Contains(t, page.body, `href="/sandbox/x/`+asset+`"`)
		answer := w.get("/sandbox/x/" + asset)
		require.Equal(t, http.StatusOK, answer.status)
		require.Contains(t, answer.header.Get("Content-Type"), kind)
	}
	require.Equal(t, http.StatusNotFound, w.get("/sandbox/x/timeline.html").status)
}

func TestThePager(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 120 {
		_, err := w.sandbox.state.accept(Tweet{AuthorID: "4242", Text: fmt.Sprintf("number-%d.", i)}, 0)
		require.NoError(t, err)
	}
	for query, tt := range map[string]struct {
		first, last, page string
		newer, older      bool
	}{
		"":            {"number-119.", "number-70.", "Page 1 of 3", false, true},
		"?page=2":     {"number-69.", "number-20.", "Page 2 of 3", true, true},
		"?page=3":     {"number-19.", "number-0.", "Page 3 of 3", true, false},
		"?page=99":    {"number-19.", "number-0.", "Page 3 of 3", true, false},
		"?page=-1":    {"number-119.", "number-70.", "Page 1 of 3", false, true},
		"?page=other": {"number-119.", "number-70.", "Page 1 of 3", false, true},
	} {
		page := w.get("/sandbox/x" + query).body
		require.Contains(t, page, tt.first)
		require.Contains(t, page, tt.last)
		require.Contains(t, page, tt.page)
		require.LessOrEqual(t, strings.Count(page, "<article"), tweetsPerPage)
		require.Equal(t, tt.newer, strings.Contains(page, ">Newer</a>"), query)
		require.Equal(t, tt.older, strings.Contains(page, ">Older</a>"), query)
	}
}

func TestThePageSaysThatFaultsAreOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnPost, Fault: DropAfter, Rate: 0.2}, Rule{On: OnRequestToken, Fault: BadApp})
	page := w.get("/sandbox/x").body
	require.Contains(t, page, "drop after on post (20 %)")
	require.Contains(t, page, "bad app on request token<")
}

func TestTimelineJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.numbered(3)
	w.call(http.MethodDelete, "/2/tweets/"+ids[1], "")
	answer := w.get("/sandbox/x/timeline.json")
	require.Equal(t, true, answer.at(t, "sandbox"))
	require.InDelta(t, 3, answer.at(t, "accepted"), 0)
	require.InDelta(t, 2, answer.at(t, "visible"), 0)
	require.Equal(t, ids[0], answer.at(t, "tweets.0.id"))
	require.Equal(t, false, answer.at(t, "tweets.1.visible"))
	require.NotEmpty(t, answer.at(t, "tweets.1.deleted_at"))
	older := w.get("/sandbox/x/timeline.json?limit=1&before=" + ids[1])
	require.Equal(t, ids[2], older.at(t, "tweets.0.id"))
	require.Len(t, older.at(t, "tweets"), 1)
}

func TestAgo(t *testing.T) {
	t.Parallel()
	for age, want := range map[time.Duration]string{
		-time.Second: "just now", 59 * time.Second: "just now", time.Minute: "1 min ago", 59 * time.Minute: "59 min ago",
		time.Hour: "1 h ago", 23 * time.Hour: "23 h ago", 24 * time.Hour: "1 day ago", 49 * time.Hour: "2 days ago",
	} {
		require.Equal(t, want, ago(age))
	}
}

func TestDisplayURL(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://www.example.com/":                       "example.com/",
		"HTTP://Example.com":                             "Example.com",
		"example.com/fifteen-letters-and-more":           "example.com/fifteen-letter…",
		"https://example.com/exactly-fiftee":             "example.com/exactly-fiftee",
		"https://example.com?utm_source=somewhere-else1": "example.com?utm_source=som…",
	} {
		require.Equal(t, want, displayURL(raw))
	}
}

func TestThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		require.Equal(t, want, thousands(n))
	}
}
