package x

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

const (
	usualListed = 100
	maxListed   = 1000
)

// listedTweet is an accepted tweet as timeline.json tells it: more than people see.
type listedTweet struct {
	Tweet
	Shown   string  `json:"shown_text"`
	Visible bool    `json:"visible"`
	Metrics Metrics `json:"public_metrics"`
}

// timelineJSON lists what was accepted, newest first: deleted tweets and late ones too, so
// that a test can see what people cannot. ?before=<id> gives older ones, ?limit= fewer or more.
func (s *Server) timelineJSON(w http.ResponseWriter, r *http.Request) {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil {
		limit = usualListed
	}
	tweets := s.Tweets()
	slices.Reverse(tweets)
	body := struct {
		Sandbox  bool          `json:"sandbox"`
		Account  string        `json:"username"`
		Accepted int           `json:"accepted"`
		Visible  int           `json:"visible"`
		Tweets   []listedTweet `json:"tweets"`
	}{Sandbox: true, Account: s.config.Username, Accepted: len(tweets), Tweets: []listedTweet{}}
	now, before := s.config.Now(), r.URL.Query().Get("before")
	for _, t := range tweets {
		if t.visible(now) {
			body.Visible++
		}
		if len(body.Tweets) < min(max(limit, 1), maxListed) && (before == "" || compareIDs(t.ID, before) < 0) {
			body.Tweets = append(body.Tweets, listed(t, now))
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, http.StatusOK, body)
}

func listed(t Tweet, now time.Time) listedTweet {
	return listedTweet{Tweet: t, Shown: show(t).Text, Visible: t.visible(now), Metrics: t.Metrics}
}
