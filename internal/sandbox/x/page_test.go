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
	require.Equal(t, "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'self'; "+
		"form-action 'self'", page.header.Get("Content-Security-Policy"), "it loads nothing from elsewhere")
	require.Equal(t, "nosniff", page.header.Get("X-Content-Type-Options"))
	for asset, kind := range map[string]string{"base.css": "text/css", "style.css": "text/css", "icon.svg": "image/svg+xml"} {
		require.Contains(t, page.body, `href="/sandbox/x/`+asset+`"`)
		answer := w.get("/sandbox/x/" + asset)
		require.Equal(t, http.StatusOK, answer.status)
		require.Contains(t, answer.header.Get("Content-Type"), kind)
	}
	require.Equal(t, http.StatusNotFound, w.get("/sandbox/x/timeline.html").status)

	w.fault(Rule{On: OnPost, Fault: DropAfter, Rate: 0.2}, Rule{On: OnRequestToken, Fault: BadApp})
	broken := w.get("/sandbox/x").body
	require.Contains(t, broken, "drop after on post (20 %)")
	require.Contains(t, broken, "bad app on request token<")
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

	for _, path := range []string{"/sandbox/x", "/sandbox/x/status/" + id} {
		page := w.get(path)
		require.Equal(t, http.StatusOK, page.status)
		for _, part := range []string{
			"&lt;script&gt;alert(1)&lt;/script&gt; &amp; ", `href="https://example.com/?a=1&amp;b=2"`, ">example.com/?a=1&amp;b=2</a>",
			"Made with AI", "Paid partnership", "<time datetime=", "UTC", "· views ",
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

func TestTheNewestTweetsAreShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range tweetsShown + 20 {
		_, err := w.sandbox.state.accept(Tweet{AuthorID: "4242", Text: fmt.Sprintf("number-%d.", i)}, 0)
		require.NoError(t, err)
	}
	page := w.get("/sandbox/x").body
	require.Contains(t, page, "<strong>120</strong> posts")
	require.Contains(t, page, "number-20.")
	require.NotContains(t, page, "number-19.")
	require.Equal(t, tweetsShown, strings.Count(page, "<article"))
	require.Len(t, w.get("/sandbox/x/timeline.json").at(t, "tweets"), tweetsShown)
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
