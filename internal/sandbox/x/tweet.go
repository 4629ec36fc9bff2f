package x

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"customerzero/internal/domain/post"
)

// Tweet is an accepted tweet with its original text.
type Tweet struct {
	ID              string    `json:"id"`
	AuthorID        string    `json:"author_id"`
	Text            string    `json:"text"`
	PaidPartnership bool      `json:"paid_partnership,omitempty"`
	MadeWithAI      bool      `json:"made_with_ai,omitempty"`
	CreatedAt       time.Time `json:"created_at"`
	VisibleAt       time.Time `json:"visible_at,omitzero"` // zero: at once
	DeletedAt       time.Time `json:"deleted_at,omitzero"`
}

func (t Tweet) visible(now time.Time) bool {
	return t.DeletedAt.IsZero() && !now.Before(t.VisibleAt)
}

// shownTime is the creation time as X returns it, in whole seconds.
func (t Tweet) shownTime() time.Time { return t.CreatedAt.UTC().Truncate(time.Second) }

// parseID parses an ID; 0 if it is invalid.
func parseID(id string) int64 {
	number, _ := strconv.ParseInt(id, 10, 64)
	return max(number, 0)
}

const (
	snowflakeEpoch = 1288834974657 // milliseconds; 4 November 2010, the start of X's IDs
	snowflakeShift = 22
)

// nextID returns an ID that grows with time and exceeds last even if the clock stops, runs backwards, or the
// sandbox restarts.
func nextID(now time.Time, last int64) int64 {
	return max((now.UnixMilli()-snowflakeEpoch)<<snowflakeShift, last+1)
}

// Metrics are a tweet's public counts.
type Metrics struct {
	Reposts     int `json:"retweet_count"`
	Replies     int `json:"reply_count"`
	Likes       int `json:"like_count"`
	Quotes      int `json:"quote_count"`
	Impressions int `json:"impression_count"`
}

// metricsAt computes the counts of a tweet from its ID and age. They grow ever more slowly and never shrink,
// and are equal on every machine, which floating-point numbers would not guarantee.
func metricsAt(id string, age time.Duration) Metrics {
	luck := sha256.Sum256([]byte(id))
	draw := func(i, low, high int) int {
		return low + int(binary.BigEndian.Uint16(luck[2*i:]))%(high-low+1)
	}
	seconds := max(0, int(age/time.Second))
	reach, half := draw(0, 120, 4200), draw(1, 1200, 5*3600)
	views := reach * seconds / (seconds + half)
	likes := views * draw(2, 12, 60) / 1000
	return Metrics{
		Impressions: views,
		Likes:       likes,
		Reposts:     likes * draw(3, 60, 260) / 1000,
		Replies:     likes * draw(4, 40, 200) / 1000,
		Quotes:      likes * draw(5, 0, 60) / 1000,
	}
}

// shown is a tweet's text as X returns it: with shortened links and escaped HTML.
type shown struct {
	Text string
	URLs []shownURL
}

// shownURL is a shortened link. Start and End are code point offsets in the shown text.
type shownURL struct {
	Start    int    `json:"start"`
	End      int    `json:"end"`
	URL      string `json:"url"`
	Expanded string `json:"expanded_url"`
	Display  string `json:"display_url"`
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func show(t Tweet) shown {
	var out strings.Builder
	var urls []shownURL
	pos, points := 0, 0
	write := func(s string) {
		out.WriteString(s)
		points += utf8.RuneCountInString(s)
	}
	for _, span := range post.URLs(t.Text) {
		write(escaper.Replace(t.Text[pos:span[0]]))
		raw := t.Text[span[0]:span[1]]
		short := shortURL(t.ID, raw)
		start := points
		write(short)
		urls = append(urls, shownURL{start, points, short, expandedURL(raw), displayURL(raw)})
		pos = span[1]
	}
	write(escaper.Replace(t.Text[pos:]))
	return shown{out.String(), urls}
}

// shortURL returns a link's short form, which is constant for a tweet.
func shortURL(id, raw string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	sum := sha256.Sum256([]byte(id + " " + raw))
	code := make([]byte, 10)
	for i := range code {
		code[i] = letters[int(sum[i])%len(letters)]
	}
	return "https://t.co/" + string(code)
}

// expandedURL adds X's scheme to a bare domain.
func expandedURL(raw string) string {
	if hasScheme(raw) {
		return raw
	}
	return "http://" + raw
}

// displayURL removes the scheme and www. and shortens the path.
func displayURL(raw string) string {
	if hasScheme(raw) {
		_, raw, _ = strings.Cut(raw, "://")
	}
	if len(raw) > 4 && strings.EqualFold(raw[:4], "www.") {
		raw = raw[4:]
	}
	const pathShown = 15
	host, path := raw, ""
	if i := strings.IndexAny(raw, "/?"); i >= 0 {
		host, path = raw[:i], raw[i:]
	}
	if runes := []rune(path); len(runes) > pathShown {
		path = string(runes[:pathShown]) + "…"
	}
	return host + path
}

func hasScheme(raw string) bool {
	scheme, _, found := strings.Cut(raw, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}
