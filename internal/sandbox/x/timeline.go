package x

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"customerzero/internal/sandbox/pages"
)

const (
	minResults   = 5
	maxResults   = 100
	usualResults = 10
)

// slice is the requested part of a timeline.
type slice struct {
	author string
	count  int
	older  int64     // exclusive ID, the last one of the previous page; 0: newest
	from   time.Time // inclusive, in whole seconds
}

func (v slice) contains(t Tweet) bool {
	return t.AuthorID == v.author && (v.older == 0 || parseID(t.ID) < v.older) && !t.shownTime().Before(v.from)
}

// readTimeline handles GET /2/users/{id}/tweets, newest first.
func (s *Server) readTimeline(w http.ResponseWriter, r *http.Request, c call) {
	fields, ok := readFields(w, c.query, "id", "max_results", "pagination_token", "exclude", "start_time")
	if !ok {
		return
	}
	part, ok := readSlice(w, c.query)
	if !ok {
		return
	}
	part.author = r.PathValue("id")
	if _, known := s.account(part.author); !known {
		writeJSON(w, http.StatusOK, readReply{Errors: []any{notFound("user", "id", part.author)}})
		return
	}
	writeJSON(w, http.StatusOK, s.timelinePage(part, fields))
}

// timelinePage returns the tweets of the slice.
func (s *Server) timelinePage(part slice, fields []string) readReply {
	var page []any
	var ids []string
	more := false
	for _, t := range s.state.visible() {
		if !part.contains(t) {
			continue
		}
		if more = len(page) == part.count; more {
			break
		}
		page = append(page, s.tweetJSON(t, fields))
		ids = append(ids, t.ID)
	}
	meta := map[string]any{"result_count": len(page)}
	if len(page) > 0 {
		meta["newest_id"], meta["oldest_id"] = ids[0], ids[len(ids)-1]
	}
	if more {
		meta["next_token"] = meta["oldest_id"]
	}
	return readReply{Data: page, Meta: meta}
}

// readSlice reads the parameters and sends X's error for an invalid one.
func readSlice(w http.ResponseWriter, query url.Values) (part slice, ok bool) {
	part = slice{count: usualResults}
	complain := func(name, why string) (slice, bool) {
		invalid(w, map[string][]string{name: query[name]}, "The `%s` query parameter value [%s] %s", name, query.Get(name), why)
		return part, false
	}
	if query.Has("max_results") {
		count, err := strconv.Atoi(query.Get("max_results"))
		if err != nil || count < minResults || count > maxResults {
			return complain("max_results", "is not between 5 and 100")
		}
		part.count = count
	}
	if query.Has("pagination_token") {
		if part.older = parseID(query.Get("pagination_token")); part.older == 0 {
			return complain("pagination_token", "is not valid")
		}
	}
	if query.Has("start_time") {
		at, err := time.Parse(time.RFC3339, query.Get("start_time"))
		if err != nil {
			return complain("start_time", "is not a valid RFC3339 date-time")
		}
		part.from = at.UTC().Truncate(time.Second)
	}
	for _, kind := range list(query, "exclude") {
		if kind != "retweets" && kind != "replies" { // the sandbox has neither
			return complain("exclude", "is not one of [retweets,replies]")
		}
	}
	return part, true
}

// timelineJSON lists the newest accepted tweets for tests, including deleted and not yet visible ones.
func (s *Server) timelineJSON(w http.ResponseWriter, _ *http.Request) {
	type listed struct {
		Tweet
		Visible bool `json:"visible"`
	}
	tweets := []listed{}
	for _, t := range slices.Backward(s.Tweets()) {
		if len(tweets) < tweetsShown {
			tweets = append(tweets, listed{t, t.visible(s.config.Now())})
		}
	}
	pages.WriteJSON(w, http.StatusOK, map[string]any{"tweets": tweets})
}
