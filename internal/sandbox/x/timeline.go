package x

import (
	"encoding/base32"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

const (
	minResults   = 5
	maxResults   = 100
	usualResults = 10
)

var tokenCoding = base32.HexEncoding.WithPadding(base32.NoPadding)

// slice is the part of a timeline that a client asks for.
type slice struct {
	author       string
	count        int
	since, until string    // IDs, both exclusive
	older        string    // an ID, exclusive: where the page before ended
	from, to     time.Time // both inclusive, in whole seconds
	noReplies    bool
}

// holds says whether the tweet is within the slice.
func (v slice) holds(t Tweet) bool {
	at := t.shownTime()
	switch {
	case t.AuthorID != v.author,
		v.since != "" && compareIDs(t.ID, v.since) <= 0,
		v.until != "" && compareIDs(t.ID, v.until) >= 0,
		v.older != "" && compareIDs(t.ID, v.older) >= 0,
		!v.from.IsZero() && at.Before(v.from),
		!v.to.IsZero() && at.After(v.to),
		v.noReplies && t.InReplyTo != "":
		return false
	}
	return true
}

// readTimeline is GET /2/users/{id}/tweets, newest first.
func (s *Server) readTimeline(w http.ResponseWriter, r *http.Request, c call) {
	want, ok := readWish(w, c.query, "id", "max_results", "pagination_token", "exclude",
		"since_id", "until_id", "start_time", "end_time")
	if !ok {
		return
	}
	part, ok := readSlice(w, c.query)
	if !ok {
		return
	}
	part.author = r.PathValue("id")
	if _, known := s.account(part.author); !known {
		writeJSON(w, http.StatusOK, want.answer(s, nil, nil, []any{notFound("user", "id", part.author)}))
		return
	}
	writeJSON(w, http.StatusOK, s.timelinePage(part, want))
}

// timelinePage cuts the slice out of the timeline.
func (s *Server) timelinePage(part slice, want wish) map[string]any {
	var page []any
	var ids []string
	more := false
	for _, t := range s.state.visible() {
		if !part.holds(t) {
			continue
		}
		if more = len(page) == part.count; more {
			break
		}
		page = append(page, want.body(s, t))
		ids = append(ids, t.ID)
	}
	meta := map[string]any{"result_count": len(page)}
	if len(page) == 0 {
		return map[string]any{"meta": meta}
	}
	meta["newest_id"], meta["oldest_id"] = ids[0], ids[len(ids)-1]
	if more {
		meta["next_token"] = pageToken(ids[len(ids)-1])
	}
	out := want.answer(s, page, []string{part.author}, nil)
	out["meta"] = meta
	return out
}

// readSlice reads the parameters, and complains about them as X does.
func readSlice(w http.ResponseWriter, query url.Values) (part slice, ok bool) {
	part = slice{count: usualResults, since: query.Get("since_id"), until: query.Get("until_id")}
	complain := func(name, why string) (slice, bool) {
		invalid(w, map[string][]string{name: query[name]}, "The `%s` query parameter value [%s] %s", name, query.Get(name), why)
		return slice{}, false
	}
	if query.Has("max_results") {
		count, err := strconv.Atoi(query.Get("max_results"))
		if err != nil || count < minResults || count > maxResults {
			return complain("max_results", "is not between 5 and 100")
		}
		part.count = count
	}
	for _, name := range []string{"since_id", "until_id"} {
		if query.Has(name) && !validID.MatchString(query.Get(name)) {
			return complain(name, "is not valid")
		}
	}
	if query.Has("pagination_token") {
		if part.older, ok = readPageToken(query.Get("pagination_token")); !ok {
			return complain("pagination_token", "is not valid")
		}
	}
	for name, into := range map[string]*time.Time{"start_time": &part.from, "end_time": &part.to} {
		if query.Has(name) {
			at, err := time.Parse(time.RFC3339, query.Get(name))
			if err != nil {
				return complain(name, "is not a valid RFC3339 date-time")
			}
			*into = at.UTC().Truncate(time.Second)
		}
	}
	return part.excluding(list(query, "exclude"), complain)
}

// excluding leaves out kinds of tweets. There are no reposts to leave out.
func (v slice) excluding(kinds []string, complain func(name, why string) (slice, bool)) (slice, bool) {
	for _, kind := range kinds {
		switch kind {
		case "replies":
			v.noReplies = true
		case "retweets":
		default:
			return complain("exclude", "is not one of [retweets,replies]")
		}
	}
	return v, true
}

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
