package x

import (
	"encoding/json"
	"errors"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"customerzero/internal/domain/post"
)

// newTweet is the supported body of POST /2/tweets.
type newTweet struct {
	Text            string `json:"text"`
	PaidPartnership bool   `json:"paid_partnership"`
	MadeWithAI      bool   `json:"made_with_ai"`
}

// createTweet handles POST /2/tweets.
func (s *Server) createTweet(w http.ResponseWriter, r *http.Request, c call) {
	in, complaint := readNewTweet(r.Header.Get("Content-Type"), c.body)
	if complaint != "" {
		invalid(w, nil, "%s", complaint)
		return
	}
	t, err := s.state.accept(Tweet{
		AuthorID: c.user.ID, Text: in.Text, PaidPartnership: in.PaidPartnership, MadeWithAI: in.MadeWithAI,
	}, c.hold)
	switch {
	case errors.Is(err, errDuplicate):
		forbid(w, "You are not allowed to create a Tweet with duplicate content.")
		return
	case err != nil:
		s.storageFailed(err)
		unavailable(w)
		return
	}
	writeJSON(w, http.StatusCreated, map[string]any{"data": map[string]any{
		"id": t.ID, "text": show(t).Text, "edit_history_tweet_ids": []string{t.ID},
	}})
}

// readNewTweet parses the body or returns X's complaint.
func readNewTweet(contentType string, body []byte) (in newTweet, complaint string) {
	if media, _, _ := mime.ParseMediaType(contentType); media != "application/json" {
		return in, "Requests with bodies must have content-type of application/json."
	}
	if complaint := checkFields(body); complaint != "" {
		return in, complaint
	}
	if err := json.Unmarshal(body, &in); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return in, "$." + wrong.Field + ": " + wrong.Value + " found, " + wrong.Type.String() + " expected"
		}
		return in, "The request body is not valid JSON."
	}
	in.Text = strings.TrimSpace(in.Text)
	switch {
	case in.Text == "":
		return in, "Requires either text or media."
	case strings.ContainsAny(in.Text, "\uFFFE\uFEFF\uFFFF"):
		return in, "Your Tweet text contains invalid characters."
	case post.Weight(in.Text) > post.MaxWeight:
		return in, "Your Tweet text is too long. For more information on how Twitter determines text length see " +
			"https://github.com/twitter/twitter-text."
	}
	return in, ""
}

// checkFields returns X's complaint about an unknown field.
func checkFields(body []byte) (complaint string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || fields == nil {
		return "The request body is not a valid JSON object."
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains([]string{"text", "paid_partnership", "made_with_ai"}, name) {
			return "$." + name + ": is not defined in the schema and the schema does not allow additional properties"
		}
	}
	return ""
}

// deleteTweet handles DELETE /2/tweets/{id}.
func (s *Server) deleteTweet(w http.ResponseWriter, r *http.Request, c call) {
	id := r.PathValue("id")
	switch err := s.state.remove(id, c.user.ID); {
	case err == nil:
		writeJSON(w, http.StatusOK, map[string]any{"data": map[string]any{"deleted": true}})
	case errors.Is(err, errNoTweet):
		problem(w, http.StatusNotFound, "Not Found Error", typeNotFound, "Could not find tweet with id: ["+id+"].")
	case errors.Is(err, errNotYours):
		forbid(w, "You are not authorized to delete this Tweet.")
	default:
		s.storageFailed(err)
		unavailable(w)
	}
}

const maxLookup = 100

// readTweets handles GET /2/tweets?ids=…. Missing tweets are reported in errors, with status 200.
func (s *Server) readTweets(w http.ResponseWriter, _ *http.Request, c call) {
	fields, ok := readFields(w, c.query, "ids")
	if !ok {
		return
	}
	ids := list(c.query, "ids")
	if !checkIDs(w, c.query["ids"], ids) {
		return
	}
	var found, missing []any
	for _, id := range ids {
		if t, ok := s.state.tweet(id); ok {
			found = append(found, s.tweetJSON(t, fields))
		} else {
			missing = append(missing, notFound("tweet", "ids", id))
		}
	}
	writeJSON(w, http.StatusOK, readReply{Data: found, Errors: missing})
}

// checkIDs sends X's error for an invalid list of IDs.
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

// readMe handles GET /2/users/me.
func (s *Server) readMe(w http.ResponseWriter, _ *http.Request, c call) {
	if _, ok := readFields(w, c.query, "user.fields"); ok { // simulated users have no picture
		writeJSON(w, http.StatusOK, map[string]any{
			"data": map[string]any{"id": c.user.ID, "name": c.user.Name, "username": c.user.Username},
		})
	}
}

// tweetFields are the supported optional fields of a tweet.
var tweetFields = strings.Fields("author_id created_at entities made_with_ai paid_partnership public_metrics")

// readFields reads the requested tweet fields and sends X's error for an unknown parameter or value.
func readFields(w http.ResponseWriter, query url.Values, own ...string) ([]string, bool) {
	known := append([]string{"tweet.fields", "post.fields"}, own...)
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(known, name) {
			invalid(w, query, "The query parameter [%s] is not one of [%s]", name, strings.Join(known, ","))
			return nil, false
		}
	}
	var fields []string
	for _, name := range []string{"tweet.fields", "post.fields"} { // X's own SDK uses the new name
		for _, value := range list(query, name) {
			if !slices.Contains(tweetFields, value) {
				invalid(w, map[string][]string{name: query[name]}, "The `%s` query parameter value [%s] is not one of [%s]",
					name, value, strings.Join(tweetFields, ","))
				return nil, false
			}
			fields = append(fields, value)
		}
	}
	return fields, true
}

func list(query url.Values, name string) []string {
	if query.Get(name) == "" {
		return nil
	}
	return strings.Split(query.Get(name), ",")
}

// tweetJSON encodes a tweet with the given optional fields.
func (s *Server) tweetJSON(t Tweet, fields []string) map[string]any {
	text := show(t)
	out := map[string]any{"id": t.ID, "text": text.Text, "edit_history_tweet_ids": []string{t.ID}}
	optional := map[string]any{
		"author_id": t.AuthorID, "created_at": t.shownTime().Format("2006-01-02T15:04:05.000Z"),
		"made_with_ai": t.MadeWithAI, "paid_partnership": t.PaidPartnership, "public_metrics": s.metrics(t),
	}
	if len(text.URLs) > 0 {
		optional["entities"] = map[string]any{"urls": text.URLs}
	}
	for name, value := range optional {
		if slices.Contains(fields, name) {
			out[name] = value
		}
	}
	return out
}

// readReply is the response of a read. Missing objects are in its errors.
type readReply struct {
	Data   []any          `json:"data,omitempty"`
	Errors []any          `json:"errors,omitempty"`
	Meta   map[string]any `json:"meta,omitempty"`
}
