package x

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"customerzero/internal/domain/post"
)

// tweetView is a tweet as the page shows it.
type tweetView struct {
	Tweet
	Author  Account
	Initial string
	Tone    int // which of the avatar's colours
	Parts   []part
	Ago     string
	Exact   string
	Machine string
	Counts  []count
}

// part is a stretch of text; with URL, a link.
type part struct{ Text, URL string }

// count is one of the public metrics.
type count struct {
	Name  string // of the icon, too
	Label string
	Value string
}

const avatarTones = 6

func (s *Server) views(tweets []Tweet) []tweetView {
	views := make([]tweetView, 0, len(tweets))
	for _, t := range tweets {
		views = append(views, s.view(t))
	}
	return views
}

func (s *Server) view(t Tweet) tweetView {
	author, known := s.account(t.AuthorID)
	if !known {
		author = Account{ID: t.AuthorID, Username: "user" + t.AuthorID, Name: "A former account"}
	}
	at := t.CreatedAt.UTC()
	return tweetView{
		Tweet: t, Author: author, Initial: initial(author.Name), Tone: tone(author.ID),
		Parts: parts(t.Text), Ago: ago(s.config.Now().Sub(at)),
		Exact: at.Format("2 Jan 2006, 15:04:05 UTC"), Machine: at.Format(time.RFC3339),
		Counts: counts(s.metrics(t)),
	}
}

func initial(name string) string {
	r, _ := utf8.DecodeRuneInString(strings.TrimSpace(name))
	return strings.ToUpper(string(r))
}

func tone(id string) int {
	sum := 0
	for _, digit := range id {
		sum += int(digit)
	}
	return sum % avatarTones
}

// parts cuts a text at its links.
func parts(text string) []part {
	var cut []part
	pos := 0
	for _, span := range post.URLs(text) {
		raw := text[span[0]:span[1]]
		cut = append(cut, part{Text: text[pos:span[0]]}, part{Text: displayURL(raw), URL: expandedURL(raw)})
		pos = span[1]
	}
	return append(cut, part{Text: text[pos:]})
}

// ago says how old something is.
func ago(age time.Duration) string {
	switch {
	case age < time.Minute:
		return "just now"
	case age < time.Hour:
		return strconv.Itoa(int(age/time.Minute)) + " min ago"
	case age < 24*time.Hour:
		return strconv.Itoa(int(age/time.Hour)) + " h ago"
	case age < 48*time.Hour:
		return "1 day ago"
	default:
		return strconv.Itoa(int(age/(24*time.Hour))) + " days ago"
	}
}

func counts(m Metrics) []count {
	return []count{
		{"reply", "replies", thousands(m.Replies)},
		{"repost", "reposts", thousands(m.Reposts + m.Quotes)},
		{"like", "likes", thousands(m.Likes)},
		{"view", "views", thousands(m.Impressions)},
	}
}

// thousands groups digits: 12,345.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
