// Package experiment holds the rules of the lab: what may be submitted, how an experiment moves
// from an idea to a result, who counts in a vote, and how a registered metric is judged. Values
// in, values out: no clock, no I/O.
package experiment

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Status is where an experiment stands.
type Status string

const (
	Waiting   Status = "waiting"   // for a founder's approval; not public
	Planning  Status = "planning"  // public, may be voted on
	Active    Status = "active"    // it runs: its metric cannot be changed any more
	Testing   Status = "testing"   // it runs, and results come in
	Completed Status = "completed" // its votes are counted, and its verdict stands
	Shipped   Status = "shipped"   // what it showed is part of the product
	Declined  Status = "declined"  // turned down, or given up; the reason says why
)

// Origin is whose idea it was.
type Origin string

const (
	FromSeed    Origin = "seed" // came with the product
	FromVisitor Origin = "visitor"
	FromMember  Origin = "member"
	FromFounder Origin = "founder"
)

// Difficulty is how long it may take to build.
type Difficulty string

const (
	Easy   Difficulty = "easy"   // 1 to 2 days
	Medium Difficulty = "medium" // a week
	Hard   Difficulty = "hard"   // two weeks and more
)

// Verdict is what a measured experiment came to.
type Verdict string

const (
	Met        Verdict = "met"
	Missed     Verdict = "missed"
	Unmeasured Verdict = "unmeasured" // at its date there was nothing to measure
	Abandoned  Verdict = "abandoned"  // given up before its date
)

// Experiment is a row of the lab. Votes and notes have rows of their own.
type Experiment struct {
	ID         string
	Number     *int   // from its approval on, unique
	Slug       string // unique: the ID until it has a number
	Title      string
	Problem    string
	Hypothesis string
	Impact     string
	Difficulty Difficulty
	Status     Status
	Reason     string // why it was declined, or how it ended, in public
	Progress   int    // percent

	Methodology    []string `gorm:"serializer:json"` // steps
	TechStack      []string `gorm:"serializer:json"`
	SuccessMetrics []string `gorm:"serializer:json"`

	Origin      Origin
	MemberID    *string // who submitted it
	SubmittedAt time.Time
	StartedAt   *time.Time // when it first became active: days are counted from it
	EndedAt     *time.Time // when it was completed or declined

	Metric    Metric     // empty: nothing is measured
	Threshold *float64   // in the metric's unit
	DueAt     *time.Time // when the verdict is set
	Measured  *float64   // at DueAt; nil: not yet, or nothing
	Verdict   Verdict

	// The votes as they were counted, once, when the experiment ended.
	FinalUp       *int
	FinalDown     *int
	VotesClosedAt *time.Time

	WorkflowID string // its run; empty until it became active
	RunID      string
	Version    int       // goes up with every edit, so that nobody overwrites what they have not read
	UpdatedAt  time.Time `gorm:"autoUpdateTime:false"` // set by edits and notes
}

// Vote is a member's, one for each experiment.
type Vote struct {
	ExperimentID string
	MemberID     string
	Value        int // 1 or -1
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// TableName says where votes are.
func (Vote) TableName() string { return "experiment_votes" }

// Note is what the lab wrote down on one day, in Markdown.
type Note struct {
	ExperimentID string
	Date         string // 2006-01-02, UTC
	Content      string
	Author       string // a founder's handle, without @
	Version      int
	UpdatedAt    time.Time
}

// TableName says where notes are.
func (Note) TableName() string { return "experiment_notes" }

// VoteCounts is a count of votes.
type VoteCounts struct{ Up, Down int }

// Listed is an experiment with what the lists show.
type Listed struct {
	Experiment
	VoteCounts
	Submitter string // the member's handle; empty: nobody's, or somebody who has left
}

// Totals are of all public experiments.
type Totals struct {
	Experiments int
	Running     int // active or testing
	Completed   int // completed or shipped
	Votes       int // up and down
}

// Order of a list.
type Order string

const (
	Newest   Order = "newest"
	MostUp   Order = "votes"    // up minus down
	Furthest Order = "progress" // percent
	Latest   Order = "updated"
)

// Query asks for a part of the lab.
type Query struct {
	Text          string // in the title, problem or hypothesis; empty: any
	Status        Status // empty: every public one; Waiting: what waits for a founder
	Order         Order
	Limit, Offset int
}

// Submission is an idea as somebody wrote it down. The tags are the API's.
type Submission struct {
	Title      string     `json:"title" minLength:"5" maxLength:"100"`
	Problem    string     `json:"problem" minLength:"20" maxLength:"1000"`
	Hypothesis string     `json:"hypothesis" minLength:"20" maxLength:"500" doc:"If we build X, then Y will happen because Z"`
	Impact     string     `json:"impact" minLength:"10" maxLength:"500"`
	Difficulty Difficulty `json:"difficulty,omitempty" enum:"easy,medium,hard" default:"medium"` // empty: medium
}

// edit makes of an empty row what was submitted.
func (s Submission) edit() Edit {
	edit := Edit{Title: &s.Title, Problem: &s.Problem, Hypothesis: &s.Hypothesis, Impact: &s.Impact}
	if s.Difficulty != "" {
		edit.Difficulty = &s.Difficulty
	}
	return edit
}

// Edit changes what an experiment says. nil fields stay. The tags are the API's.
type Edit struct {
	Title          *string     `json:"title,omitempty" minLength:"5" maxLength:"100"`
	Problem        *string     `json:"problem,omitempty" minLength:"20" maxLength:"1000"`
	Hypothesis     *string     `json:"hypothesis,omitempty" minLength:"20" maxLength:"500"`
	Impact         *string     `json:"impact,omitempty" minLength:"10" maxLength:"500"`
	Difficulty     *Difficulty `json:"difficulty,omitempty" enum:"easy,medium,hard"`
	Progress       *int        `json:"progress,omitempty" minimum:"0" maximum:"100"`
	Methodology    *[]string   `json:"methodology,omitempty" maxItems:"20"`
	TechStack      *[]string   `json:"techStack,omitempty" maxItems:"20"`
	SuccessMetrics *[]string   `json:"successMetrics,omitempty" maxItems:"20"`
}

var (
	titles     = bounds{field: "title", min: 5, max: 100}
	problems   = bounds{field: "problem", min: 20, max: 1000, lines: true}
	hypotheses = bounds{field: "hypothesis", min: 20, max: 500, lines: true}
	impacts    = bounds{field: "impact", min: 10, max: 500, lines: true}
)

// put writes an edit into a row, cleaned.
func (edit Edit) put(e *Experiment) error {
	return cmp.Or(
		titles.put(edit.Title, &e.Title),
		problems.put(edit.Problem, &e.Problem),
		hypotheses.put(edit.Hypothesis, &e.Hypothesis),
		impacts.put(edit.Impact, &e.Impact),
		putList("methodology", edit.Methodology, &e.Methodology),
		putList("techStack", edit.TechStack, &e.TechStack),
		putList("successMetrics", edit.SuccessMetrics, &e.SuccessMetrics),
		edit.putChoices(e),
	)
}

// Registration is what an experiment promises before it begins.
type Registration struct {
	Metric    Metric
	Threshold float64
	DueAt     time.Time
}

// Review says whose ideas wait for a founder's approval. A founder's never do.
type Review string

const (
	ReviewAll      Review = "all"
	ReviewVisitors Review = "visitors" // members' appear at once
	ReviewNone     Review = "none"
)

// maxSlug is how long a slug may be: one byte a character.
const maxSlug = 80

// Slug names an experiment in addresses, like 001-public-experiments-page. It does not change
// when the title does: others link to it.
func Slug(number int, title string) string {
	words := strings.FieldsFunc(strings.ToLower(ascii(title)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	if len(words) == 0 {
		words = []string{"experiment"}
	}
	slug := fmt.Sprintf("%03d", number)
	for i, word := range words {
		switch room := maxSlug - len(slug) - 1; {
		case len(word) <= room:
			slug += "-" + word
		case i == 0: // too long for itself
			return slug + "-" + word[:room]
		default:
			return slug
		}
	}
	return slug
}

// ascii writes letters without their marks, and leaves out what is of other scripts.
func ascii(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r), r == '\'', r == '’': // don't is one word
			return -1
		case r > unicode.MaxASCII:
			return ' '
		}
		return r
	}, norm.NFKD.String(text))
}

// ShownID is what people call an experiment: its number, or its ID before it has one.
func ShownID(e Experiment) string {
	if e.Number == nil {
		return e.ID
	}
	return fmt.Sprintf("%03d", *e.Number)
}

// Key is how somebody names an experiment. The empty fields do not name it.
type Key struct {
	Number int
	Slug   string // or an ID: an experiment without a number has its ID for a slug
}

// ParseKey reads 1 and 001 as numbers, and everything else as a slug or an ID.
func ParseKey(key string) Key {
	if number, err := strconv.ParseUint(key, 10, 31); err == nil && number > 0 {
		return Key{Number: int(number)}
	}
	return Key{Slug: key}
}
