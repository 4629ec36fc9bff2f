package x

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"customerzero/internal/domain/post"
)

// newTweet is the body of POST /2/tweets, as far as the sandbox plays it.
type newTweet struct {
	Text            string    `json:"text"`
	PaidPartnership bool      `json:"paid_partnership"`
	MadeWithAI      bool      `json:"made_with_ai"`
	Reply           *newReply `json:"reply"`
}

type newReply struct {
	InReplyTo string `json:"in_reply_to_tweet_id"`
}

// createTweet is POST /2/tweets.
func (s *Server) createTweet(w http.ResponseWriter, r *http.Request, c call) {
	in, complaint := readNewTweet(r.Header.Get("Content-Type"), c.body)
	if complaint != "" {
		invalid(w, nil, "%s", complaint)
		return
	}
	draft := Tweet{
		AuthorID: c.user.ID, Text: in.Text, PaidPartnership: in.PaidPartnership, MadeWithAI: in.MadeWithAI,
	}
	if in.Reply != nil {
		draft.InReplyTo = in.Reply.InReplyTo
	}
	t, err := s.state.accept(draft, c.hold)
	if err != nil {
		s.refuseTweet(w, err)
		return
	}
	writeJSON(w, http.StatusCreated, map[string]any{"data": map[string]any{
		"id": t.ID, "text": show(t).Text, "edit_history_tweet_ids": []string{t.ID},
	}})
}

// refuseTweet says why a well-formed tweet was not accepted.
func (s *Server) refuseTweet(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errDuplicate):
		forbid(w, "You are not allowed to create a Tweet with duplicate content.")
	case errors.Is(err, errReplyGone):
		forbid(w, "You attempted to reply to a Tweet that is deleted or not visible to you.")
	default:
		s.storageFailed(err)
		unavailable(w)
	}
}

// readNewTweet reads the body, or gives X's complaint about it.
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
	case in.Reply != nil && !validID.MatchString(in.Reply.InReplyTo):
		return in, "$.reply.in_reply_to_tweet_id: does not match the regex pattern ^[0-9]{1,19}$"
	}
	return in, ""
}

// checkFields complains about a field that the schema does not have, as X does, word for word.
func checkFields(body []byte) (complaint string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || fields == nil {
		return "The request body is not a valid JSON object."
	}
	if unknown := unknownField(fields, "text", "paid_partnership", "made_with_ai", "reply"); unknown != "" {
		return "$." + unknown + undefined
	}
	if raw, ok := fields["reply"]; ok && !bytes.Equal(raw, []byte("null")) {
		var reply map[string]json.RawMessage
		if json.Unmarshal(raw, &reply) != nil {
			return "$.reply: object expected"
		}
		if unknown := unknownField(reply, "in_reply_to_tweet_id"); unknown != "" {
			return "$.reply." + unknown + undefined
		}
	}
	return ""
}

const undefined = ": is not defined in the schema and the schema does not allow additional properties"

func unknownField(fields map[string]json.RawMessage, known ...string) string {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(known, name) {
			return name
		}
	}
	return ""
}

// deleteTweet is DELETE /2/tweets/{id}.
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
