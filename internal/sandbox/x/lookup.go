package x

import (
	"net/http"
	"strings"
)

const maxLookup = 100

// readTweet is GET /2/tweets/{id}. What is not there is a 200 with errors.
func (s *Server) readTweet(w http.ResponseWriter, r *http.Request, c call) {
	want, ok := readWish(w, c.query)
	if !ok {
		return
	}
	id := r.PathValue("id")
	if !validID.MatchString(id) {
		invalid(w, map[string][]string{"id": {id}}, "The `id` query parameter value [%s] is not valid", id)
		return
	}
	t, found := s.state.tweet(id)
	if !found {
		writeJSON(w, http.StatusOK, want.answer(s, nil, nil, []any{notFound("tweet", "id", id)}))
		return
	}
	writeJSON(w, http.StatusOK, want.answer(s, want.body(s, t), []string{t.AuthorID}, nil))
}

// readTweets is GET /2/tweets?ids=….
func (s *Server) readTweets(w http.ResponseWriter, _ *http.Request, c call) {
	want, ok := readWish(w, c.query, "ids")
	if !ok {
		return
	}
	ids := list(c.query, "ids")
	if !checkIDs(w, c.query["ids"], ids) {
		return
	}
	var found []any
	var missing []any
	var authors []string
	for _, id := range ids {
		t, ok := s.state.tweet(id)
		if !ok {
			missing = append(missing, notFound("tweet", "ids", id))
			continue
		}
		found = append(found, want.body(s, t))
		authors = append(authors, t.AuthorID)
	}
	var data any
	if found != nil {
		data = found
	}
	writeJSON(w, http.StatusOK, want.answer(s, data, authors, missing))
}

// checkIDs complains about a list of IDs that X would not look at.
func checkIDs(w http.ResponseWriter, sent, ids []string) bool {
	parameters := map[string][]string{"ids": sent}
	if len(ids) == 0 || len(ids) > maxLookup {
		invalid(w, parameters, "The number of values in the `ids` query parameter list [%d] is not between 1 and %d",
			len(ids), maxLookup)
		return false
	}
	for _, id := range ids {
		if !validID.MatchString(id) {
			invalid(w, parameters, "The `ids` query parameter value [%s] is not valid", id)
			return false
		}
	}
	return true
}

// readMe is GET /2/users/me.
func (s *Server) readMe(w http.ResponseWriter, _ *http.Request, c call) {
	want, ok := readWish(w, c.query)
	if !ok {
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": want.userBody(s, c.user)})
}

// pageToken is where the next page begins: with what is older than the ID.
func pageToken(id string) string { return strings.ToLower(tokenCoding.EncodeToString([]byte(id))) }

// readPageToken gives the ID back.
func readPageToken(token string) (string, bool) {
	id, err := tokenCoding.DecodeString(strings.ToUpper(token))
	return string(id), err == nil && validID.Match(id)
}
