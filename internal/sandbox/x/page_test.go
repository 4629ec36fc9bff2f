package x

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
	w.fault(Rule{On: OnPost, Fault: DropAfter, Rate: 0.2})

	for _, path := range []string{"/sandbox/x", "/sandbox/x/status/" + id} {
		page := w.get(path)
		require.Equal(t, http.StatusOK, page.status)
		for _, part := range []string{
			"&lt;script&gt;alert(1)&lt;/script&gt; &amp; ", `href="https://example.com/?a=1&amp;b=2"`, ">example.com/?a=1&amp;b=2</a>",
			"Made with AI", "Paid partnership", "<time datetime=", "UTC", "· views ", "drop after on post (20 %)",
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

func TestTimelineJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range tweetsShown + 20 {
		_, err := w.sandbox.state.accept(Tweet{AuthorID: "4242", Text: fmt.Sprintf("number-%d.", i)}, 0)
		require.NoError(t, err)
	}
	deleted := w.sandbox.Tweets()[tweetsShown+18].ID
	require.NoError(t, w.sandbox.state.remove(deleted, "4242"))
	answer := w.get("/sandbox/x/timeline.json")
	require.Len(t, answer.at(t, "tweets"), tweetsShown)
	require.Equal(t, "number-119.", answer.at(t, "tweets.0.text"))
	require.Equal(t, deleted, answer.at(t, "tweets.1.id"))
	require.Equal(t, false, answer.at(t, "tweets.1.visible"))
	page := w.get("/sandbox/x").body
	require.Contains(t, page, "<strong>119</strong> posts")
	require.Equal(t, tweetsShown, strings.Count(page, "<article"))
}
