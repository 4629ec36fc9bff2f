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
