package x

import (
	"crypto/sha256"
	"strings"
	"unicode/utf8"

	"customerzero/internal/domain/post"
)

// shown is a tweet's text as X hands it out: links are wrapped in short ones, and the signs
// that mean something in HTML are escaped.
type shown struct {
	Text string
	URLs []shownURL
}

// shownURL is one wrapped link. Start and End count the code points of the shown text.
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

// shortURL makes up the short link: the same one for the same link in the same tweet.
func shortURL(id, raw string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	sum := sha256.Sum256([]byte(id + " " + raw))
	code := make([]byte, 10)
	for i := range code {
		code[i] = letters[int(sum[i])%len(letters)]
	}
	return "https://t.co/" + string(code)
}

// expandedURL gives a bare domain the scheme that X gives it.
func expandedURL(raw string) string {
	if hasScheme(raw) {
		return raw
	}
	return "http://" + raw
}

// displayURL is what people read: no scheme, no www., and a long path cut short.
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
	if letters := []rune(path); len(letters) > pathShown {
		path = string(letters[:pathShown]) + "…"
	}
	return host + path
}

func hasScheme(raw string) bool {
	scheme, _, found := strings.Cut(raw, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}
