package x

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// What X lets a client ask for. The sandbox fills in some of it; X, too, leaves out what a
// tweet does not have.
var (
	tweetFields = strings.Fields("article attachments author_id card_uri community_id context_annotations " +
		"conversation_id created_at display_text_range edit_controls edit_history_tweet_ids entities geo id " +
		"in_reply_to_user_id lang made_with_ai media_metadata non_public_metrics note_tweet organic_metrics " +
		"paid_partnership possibly_sensitive promoted_metrics public_metrics referenced_tweets reply_settings " +
		"scopes source suggested_source_links text withheld")
	userFields = strings.Fields("affiliation confirmed_email connection_status created_at description entities id " +
		"is_identity_verified location most_recent_tweet_id name parody pinned_tweet_id profile_banner_url " +
		"profile_image_url protected public_metrics receives_your_dm subscription subscription_type url username " +
		"verified verified_followers_count verified_type withheld")
	expansions = strings.Fields("article.cover_media article.media_entities attachments.media_keys " +
		"attachments.media_source_tweet attachments.poll_ids author_id edit_history_tweet_ids " +
		"entities.mentions.username geo.place_id in_reply_to_user_id entities.note.mentions.username " +
		"referenced_tweets.id referenced_tweets.id.attachments.media_keys referenced_tweets.id.author_id")
)

// wish is what a client asks to be told beside the usual.
type wish struct{ tweet, user, expand []string }

func (v wish) wantsTweet(field string) bool { return slices.Contains(v.tweet, field) }

// readWish reads the fields that a client asks for, and complains like X about a parameter
// or a value that it does not know.
func readWish(w http.ResponseWriter, query url.Values, own ...string) (wish, bool) {
	known := append(strings.Fields("tweet.fields post.fields user.fields media.fields poll.fields place.fields expansions"), own...)
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(known, name) {
			invalid(w, query, "The query parameter [%s] is not one of [%s]", name, strings.Join(known, ","))
			return wish{}, false
		}
	}
	v := wish{
		tweet: append(list(query, "tweet.fields"), list(query, "post.fields")...), // X's own kit uses the new name
		user:  list(query, "user.fields"), expand: list(query, "expansions"),
	}
	return v, among(w, query, "tweet.fields", tweetFields) && among(w, query, "post.fields", tweetFields) &&
		among(w, query, "user.fields", userFields) && among(w, query, "expansions", expansions)
}

func list(query url.Values, name string) []string {
	if query.Get(name) == "" {
		return nil
	}
	return strings.Split(query.Get(name), ",")
}

// among complains about a value that is not in the list.
func among(w http.ResponseWriter, query url.Values, name string, known []string) bool {
	for _, value := range list(query, name) {
		if !slices.Contains(known, value) {
			invalid(w, map[string][]string{name: query[name]}, "The `%s` query parameter value [%s] is not one of [%s]",
				name, value, strings.Join(known, ","))
			return false
		}
	}
	return true
}

// body is a tweet as X describes it.
func (v wish) body(s *Server, t Tweet) map[string]any {
	text := show(t)
	out := map[string]any{"id": t.ID, "text": text.Text, "edit_history_tweet_ids": []string{t.ID}}
	optional := map[string]any{
		"author_id": t.AuthorID, "conversation_id": s.conversation(t), "created_at": stamp(t),
		"lang": "und", "made_with_ai": t.MadeWithAI, "paid_partnership": t.PaidPartnership,
		"possibly_sensitive": false, "public_metrics": s.metrics(t), "reply_settings": "everyone",
	}
	if len(text.URLs) > 0 {
		optional["entities"] = map[string]any{"urls": text.URLs}
	}
	if t.InReplyTo != "" {
		optional["referenced_tweets"] = []any{map[string]string{"type": "replied_to", "id": t.InReplyTo}}
	}
	for name, value := range optional {
		if v.wantsTweet(name) {
			out[name] = value
		}
	}
	return out
}

func stamp(t Tweet) string { return t.shownTime().Format("2006-01-02T15:04:05.000Z") }

// conversation is the tweet that a chain of replies began with.
func (s *Server) conversation(t Tweet) string {
	s.state.mu.RLock()
	defer s.state.mu.RUnlock()
	id := t.ID
	for parent := t.InReplyTo; parent != ""; {
		id = parent
		if s.state.byID[parent] == nil {
			break
		}
		parent = s.state.byID[parent].InReplyTo
	}
	return id
}

// answer wraps tweets the way X does, with what does not exist in errors.
func (v wish) answer(s *Server, data any, authors []string, missing []any) map[string]any {
	out := map[string]any{}
	if data != nil {
		out["data"] = data
	}
	if len(missing) > 0 {
		out["errors"] = missing
	}
	if users := v.users(s, authors); len(users) > 0 {
		out["includes"] = map[string]any{"users": users}
	}
	return out
}

// users describes the authors, if the client wants them.
func (v wish) users(s *Server, authors []string) []any {
	if !slices.Contains(v.expand, "author_id") {
		return nil
	}
	slices.Sort(authors)
	var users []any
	for _, id := range slices.Compact(authors) {
		if account, ok := s.account(id); ok {
			users = append(users, v.userBody(s, account))
		}
	}
	return users
}

// userBody is an account as X describes it.
func (v wish) userBody(s *Server, a Account) map[string]any {
	out := map[string]any{"id": a.ID, "name": a.Name, "username": a.Username}
	optional := map[string]any{
		"created_at":  "2026-01-01T00:00:00.000Z",
		"description": fmt.Sprintf("An account of the X sandbox. Nothing that @%s says reaches X.", a.Username),
		"protected":   false, "verified": false, "verified_type": "none",
		"public_metrics": map[string]int{
			"followers_count": 0, "following_count": 0, "tweet_count": s.countBy(a.ID), "listed_count": 0, "like_count": 0,
		},
	}
	for name, value := range optional {
		if slices.Contains(v.user, name) {
			out[name] = value
		}
	}
	return out
}

func (s *Server) countBy(author string) int {
	count := 0
	for _, t := range s.state.visible() {
		if t.AuthorID == author {
			count++
		}
	}
	return count
}
