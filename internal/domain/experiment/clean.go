package experiment

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"customerzero/internal/domain/problem"
)

// bounds are what a field may hold, in characters. Markup in it is text like any other.
type bounds struct {
	field    string // like title
	min, max int
	lines    bool // it may have more than one
	tabs     bool
}

var (
	titles      = bounds{field: "title", min: 5, max: 100}
	problems    = bounds{field: "problem", min: 20, max: 1000, lines: true}
	hypotheses  = bounds{field: "hypothesis", min: 20, max: 500, lines: true}
	impacts     = bounds{field: "impact", min: 10, max: 500, lines: true}
	reasons     = bounds{field: "reason", max: 300, lines: true}
	noteContent = bounds{field: "content", min: 1, max: 8000, lines: true, tabs: true}
)

// maxItems is how many a list may have.
const maxItems = 20

// clean gives a text in the one form in which it is stored, or a problem that names the field.
func (b bounds) clean(text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", b.refuse("it is not valid UTF-8 text")
	}
	text = strings.ReplaceAll(text, "\r\n", "\n") // browsers' lines
	text = strings.TrimSpace(norm.NFC.String(text))
	if strings.ContainsFunc(text, b.forbids) {
		if !b.lines && strings.ContainsAny(text, "\n\r\u0085\u2028\u2029") {
			return "", b.refuse("it must be one line")
		}
		return "", b.refuse("it contains a character that cannot be shown")
	}
	switch n := utf8.RuneCountInString(text); {
	case n < b.min && !visible(text):
		return "", b.refuse("it is empty")
	case n < b.min:
		return "", b.refuse("it needs at least %d characters", b.min)
	case n > b.max:
		return "", b.refuse("it has more than %d characters", b.max)
	case n > 0 && !visible(text):
		return "", b.refuse("it is empty")
	}
	return text, nil
}

func (b bounds) forbids(r rune) bool {
	switch r {
	case '\n':
		return !b.lines
	case '\t':
		return !b.tabs
	case '\u2028', '\u2029': // they end lines, too
		return true
	}
	return unicode.IsControl(r) || reverses(r)
}

// reverses says whether a rune turns the text around it: what is shown would not be what is
// written.
func reverses(r rune) bool { return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 }

// visible says whether there is anything to read.
func visible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !blank(r) })
}

// blank names what Unicode calls letters or marks, though nobody sees it.
func blank(r rune) bool {
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0:
		return true
	}
	return unicode.Is(unicode.Variation_Selector, r)
}

func (b bounds) refuse(format string, args ...any) error {
	reason := fmt.Sprintf(format, args...)
	name := strings.ToUpper(b.field[:1]) + b.field[1:]
	return &problem.Error{
		Code: problem.Invalid, Message: name + ": " + reason + ".",
		Details: []problem.Detail{{Field: "body." + b.field, Reason: reason}},
	}
}

// cleanList cleans every item: 1 to 200 characters, one line each.
func cleanList(field string, items []string) ([]string, error) {
	if len(items) > maxItems {
		return nil, bounds{field: field}.refuse("it has more than %d items", maxItems)
	}
	cleaned := make([]string, len(items)) // never nil: the column is a list
	for i, item := range items {
		var err error
		cleaned[i], err = bounds{field: fmt.Sprintf("%s[%d]", field, i), min: 1, max: 200}.clean(item)
		if err != nil {
			return nil, err
		}
	}
	return cleaned, nil
}

// Clean gives a note in the form in which it is stored. Its Markdown stays as it is.
func (n Note) Clean(now time.Time) (Note, error) {
	day, err := time.Parse(time.DateOnly, n.Date)
	date := bounds{field: "date"}
	switch {
	case err != nil:
		return n, date.refuse("it is not a day like 2026-11-22")
	case day.Year() < 2000:
		return n, date.refuse("it is too long ago")
	case day.After(now.UTC()):
		return n, date.refuse("that day has not come yet, in UTC")
	}
	n.Content, err = noteContent.clean(n.Content)
	return n, err
}
