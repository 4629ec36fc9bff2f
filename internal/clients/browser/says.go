package browser

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	mostLines = 20
	mostChars = 300
	mostText  = 4 << 10 // bytes
)

// says keeps what a page said to its console, and what it did that nobody wanted.
type says struct {
	mu     sync.Mutex
	errors []string
	notes  []string
}

func (s *says) console(text, place string) {
	u, err := url.Parse(place)
	if err == nil && favicon(u) {
		return
	}
	if err == nil && strings.HasPrefix(text, "Failed to load resource") {
		text += ": " + u.EscapedPath() // the text does not say which
	}
	s.add(&s.errors, text)
}

func (s *says) uncaught(err error) {
	line, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "playwright: "), "\n")
	s.add(&s.errors, "Uncaught: "+line)
}

func (s *says) note(sentence string) { s.add(&s.notes, sentence) }

// query is what an address in a text ends with: it may hold what is nobody's business.
var query = regexp.MustCompile(`(\w://[^\s'"?#]*)[?#][^\s'"]*`)

func (s *says) add(to *[]string, line string) {
	line = cut(query.ReplaceAllString(line, "$1"), mostChars)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(*to) < mostLines && !slices.Contains(*to, line) {
		*to = append(*to, line)
	}
}

func (s *says) all() (console, notes []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.errors), slices.Clone(s.notes)
}

// short keeps of every line the beginning, of many lines the first, and each once.
func short(lines []string) []string {
	var kept []string
	for _, line := range lines {
		line = cut(line, mostChars)
		if len(kept) < mostLines && !slices.Contains(kept, line) {
			kept = append(kept, line)
		}
	}
	return kept
}

// cut keeps the first characters of a text, whatever it is made of.
func cut(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// cutBytes keeps the first bytes of a text, and no half of a character.
func cutBytes(s string, most int) string {
	if len(s) <= most {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:most], "")
}
