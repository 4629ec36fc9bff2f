package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/adrg/strutil/metrics"
	"golang.org/x/text/unicode/norm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

// Lets reports whether ideas of this origin are published without a founder's approval.
func (r Review) Lets(by Origin) bool {
	switch by {
	case FromFounder, FromSeed:
		return true
	case FromMember:
		return r == ReviewVisitors || r == ReviewNone
	case FromVisitor:
		return r == ReviewNone
	}
	return false
}

// New creates an experiment from a submission. memberID is nil for a visitor. The store assigns a number
// to experiments that need no approval.
func New(id string, s Submission, by Origin, memberID *string, review Review, now time.Time) (Experiment, error) {
	e := Experiment{
		ID: id, Slug: id, Status: Waiting, Difficulty: Medium, Origin: by, MemberID: memberID,
		Methodology: []string{}, TechStack: []string{}, SuccessMetrics: []string{},
		SubmittedAt: now, UpdatedAt: now, Version: 1,
	}
	if review.Lets(by) {
		e.Status = Planning
	}
	return e, s.edit().put(&e)
}

// Edited applies an edit after cleaning its texts.
func (e Experiment) Edited(edit Edit, now time.Time) (Experiment, error) {
	if err := edit.put(&e); err != nil {
		return e, err
	}
	return e.changed(now), nil
}

func (e Experiment) changed(now time.Time) Experiment {
	e.Version++
	e.UpdatedAt = now
	return e
}

func (edit Edit) putChoices(e *Experiment) error {
	if edit.Difficulty != nil {
		switch *edit.Difficulty {
		case Easy, Medium, Hard:
			e.Difficulty = *edit.Difficulty
		default:
			return bounds{field: "difficulty"}.refuse("must be easy, medium or hard")
		}
	}
	if edit.Progress != nil {
		if *edit.Progress < 0 || *edit.Progress > 100 {
			return bounds{field: "progress"}.refuse("must be a percentage from 0 to 100")
		}
		e.Progress = *edit.Progress
	}
	return nil
}

// CheckVersion rejects a change that was based on another version.
func CheckVersion(seen, is int) error {
	if seen != is {
		return problem.New(problem.EditStale, "Someone else has changed this. Reload it, then change it again.")
	}
	return nil
}

// Submissions limits the ideas of callers. Founders' ideas are not counted.
var Submissions = account.Shared{
	PerVisitor: account.Limit{Name: "experiment-visitor", Most: 3, Per: time.Hour, Doing: "ideas"},
	PerNetwork: account.Limit{Name: "experiment-network", Most: 12, Per: time.Hour, Doing: "ideas from your network"},
	PerMember:  account.Limit{Name: "experiment-member", Most: 10, Per: time.Hour, Doing: "ideas"},
	Overall:    account.Limit{Name: "experiment", Most: 60, Per: time.Hour, Doing: "ideas overall"},
}

// VotesPerMember limits a member's votes.
var VotesPerMember = account.Limit{Name: "vote", Most: 600, Per: time.Hour, Doing: "votes"}

const (
	mostSimilar = 3
	// similarFrom is the share of the shorter title's trigrams that both titles contain.
	similarFrom = 0.6
	// leastTyped is the minimum number of characters to compare.
	leastTyped = 4
)

// Canonical is a title for comparison: lower case, single spaces.
func Canonical(title string) string {
	return strings.ToLower(strings.Join(strings.Fields(norm.NFC.String(title)), " "))
}

// Similar returns the experiments with the most similar titles first.
func Similar(title string, among []Experiment) []Experiment {
	wanted := Canonical(title)
	if utf8.RuneCountInString(wanted) < leastTyped {
		return nil
	}
	type likeness struct {
		Experiment
		share, whole float64
	}
	part := &metrics.OverlapCoefficient{CaseSensitive: true, NgramSize: 3}
	whole := metrics.NewSorensenDice()
	var alike []likeness
	for _, e := range among {
		other := Canonical(e.Title)
		if share := part.Compare(wanted, other); share >= similarFrom {
			alike = append(alike, likeness{e, share, whole.Compare(wanted, other)})
		}
	}
	slices.SortStableFunc(alike, func(a, b likeness) int {
		return cmp.Or(cmp.Compare(b.whole, a.whole), cmp.Compare(b.share, a.share))
	})
	var found []Experiment
	for _, l := range alike[:min(len(alike), mostSimilar)] {
		found = append(found, l.Experiment)
	}
	return found
}

// bounds are the limits of a text field, in characters. Markup is treated as text.
type bounds struct {
	field    string // such as title
	min, max int
	lines    bool // allows line breaks
	tabs     bool
}

var (
	reasons     = bounds{field: "reason", max: 300, lines: true}
	noteContent = bounds{field: "content", min: 1, max: 8000, lines: true, tabs: true}
)

const maxItems = 20

// put stores the cleaned text; nil keeps the old value.
func (b bounds) put(text, into *string) (err error) {
	if text != nil {
		*into, err = b.clean(*text)
	}
	return err
}

// clean returns a text's stored form, or a problem that names the field.
func (b bounds) clean(text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", b.refuse("must be valid UTF-8 text")
	}
	text = strings.ReplaceAll(text, "\r\n", "\n") // from browsers
	text = strings.TrimSpace(norm.NFC.String(text))
	if strings.ContainsFunc(text, b.forbids) {
		if !b.lines && strings.ContainsAny(text, "\n\r\u0085\u2028\u2029") {
			return "", b.refuse("must be one line")
		}
		return "", b.refuse("contains a character that cannot be displayed")
	}
	switch n := utf8.RuneCountInString(text); {
	case n < b.min && !visible(text):
		return "", b.refuse("must not be empty")
	case n < b.min:
		return "", b.refuse("must have at least %d characters", b.min)
	case n > b.max:
		return "", b.refuse("must have at most %d characters", b.max)
	case n > 0 && !visible(text):
		return "", b.refuse("must not be empty")
	}
	return text, nil
}

func (b bounds) forbids(r rune) bool {
	switch r {
	case '\n':
		return !b.lines
	case '\t':
		return !b.tabs
	case '\u2028', '\u2029': // line separators
		return true
	}
	return unicode.IsControl(r) || reverses(r)
}

// reverses reports whether a rune changes the text direction, which would disguise the content.
func reverses(r rune) bool { return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 }

func visible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !blank(r) })
}

// blank reports invisible runes in Unicode's letter and mark categories.
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
		Code: problem.Invalid, Message: name + " " + reason + ".",
		Details: []problem.Detail{{Field: "body." + b.field, Reason: reason}},
	}
}

// putList stores a cleaned list of one-line items of 1 to 200 characters; nil keeps the old value.
func putList(field string, items, into *[]string) error {
	if items == nil {
		return nil
	}
	if len(*items) > maxItems {
		return bounds{field: field}.refuse("must have at most %d items", maxItems)
	}
	cleaned := make([]string, len(*items)) // never nil: the column holds a JSON list
	for i := range cleaned {
		if err := (bounds{field: fmt.Sprintf("%s[%d]", field, i), min: 1, max: 200}).put(&(*items)[i], &cleaned[i]); err != nil {
			return err
		}
	}
	*into = cleaned
	return nil
}

// Clean returns the note's stored form. Its Markdown is unchanged.
func (n Note) Clean(now time.Time) (Note, error) {
	day, err := time.Parse(time.DateOnly, n.Date)
	date := bounds{field: "date"}
	switch {
	case err != nil:
		return n, date.refuse("must be a date like 2026-11-22")
	case day.Year() < 2000:
		return n, date.refuse("must not be before the year 2000")
	case day.After(now.UTC()):
		return n, date.refuse("must not be in the future (UTC)")
	}
	n.Content, err = noteContent.clean(n.Content)
	return n, err
}
