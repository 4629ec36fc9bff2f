// Package experiment holds the rules of experiments: submission, status changes, voting, and judging a
// registered metric. Pure functions: no clock, no I/O.
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

// Status is the state of an experiment.
type Status string

const (
	Waiting   Status = "waiting"   // for a founder's approval, not public
	Planning  Status = "planning"  // public, open for votes
	Active    Status = "active"    // running: its metric is locked
	Testing   Status = "testing"   // running, with first results
	Completed Status = "completed" // votes counted, verdict set
	Shipped   Status = "shipped"   // part of the product
	Declined  Status = "declined"  // rejected or abandoned; see Reason
)

// Origin is who submitted the idea.
type Origin string

const (
	FromSeed    Origin = "seed" // part of the initial data
	FromVisitor Origin = "visitor"
	FromMember  Origin = "member"
	FromFounder Origin = "founder"
)

// Difficulty is the estimated effort.
type Difficulty string

const (
	Easy   Difficulty = "easy"   // 1 to 2 days
	Medium Difficulty = "medium" // a week
	Hard   Difficulty = "hard"   // two weeks and more
)

// Verdict is the result of a registered metric.
type Verdict string

const (
	Met        Verdict = "met"
	Missed     Verdict = "missed"
	Unmeasured Verdict = "unmeasured" // no data at its date
	Abandoned  Verdict = "abandoned"  // declined before its date
)

// Experiment is an experiment's row. Votes and notes are separate rows.
type Experiment struct {
	ID         string
	Number     *int   // set on approval, unique
	Slug       string // unique; the ID until it has a number
	Title      string
	Problem    string
	Hypothesis string
	Impact     string
	Difficulty Difficulty
	Status     Status
	Reason     string // why it was declined or how it ended; public
	Progress   int    // percent

	Methodology    []string `gorm:"serializer:json"` // steps
	TechStack      []string `gorm:"serializer:json"`
	SuccessMetrics []string `gorm:"serializer:json"`

	Origin      Origin
	MemberID    *string // who submitted it
	SubmittedAt time.Time
	StartedAt   *time.Time // when it first became active; day 1
	EndedAt     *time.Time // completed or declined

	Metric    Metric     // empty: no metric
	Threshold *float64   // in the metric's unit
	DueAt     *time.Time // when the verdict is due
	Measured  *float64   // at DueAt; nil: not yet, or no data
	Verdict   Verdict

	// The final vote counts, set once when the experiment ended.
	FinalUp       *int
	FinalDown     *int
	VotesClosedAt *time.Time

	WorkflowID string // empty until it becomes active
	RunID      string
	Version    int       // incremented by every edit, to detect conflicts
	UpdatedAt  time.Time `gorm:"autoUpdateTime:false"` // set by edits and notes
}

// Vote is a member's vote, one per experiment.
type Vote struct {
	ExperimentID string
	MemberID     string
	Value        int // 1 or -1
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// TableName is the GORM table name.
func (Vote) TableName() string { return "experiment_votes" }

// FounderVote is a founder's vote, which needs no membership.
type FounderVote struct {
	ExperimentID string
	AccountID    string
	Value        int // 1 or -1
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// Voter is a founder, or else a member.
type Voter struct {
	MemberID   string // empty if a founder has no membership
	XAccountID string // account of a login with X, which founders have; empty for others
	Founder    bool
}

// Key identifies the voter in rate limits.
func (v Voter) Key() string {
	if v.Founder {
		return v.XAccountID
	}
	return v.MemberID
}

// Note is one day's lab note, in Markdown.
type Note struct {
	ExperimentID string
	Date         string // 2006-01-02, UTC
	Content      string
	Author       string // a founder's handle, without @
	Version      int
	UpdatedAt    time.Time
	Example      bool // came with the product
}

// TableName is the GORM table name.
func (Note) TableName() string { return "experiment_notes" }

// VoteCounts counts votes.
type VoteCounts struct{ Up, Down int }

// Listed is an experiment as shown in lists.
type Listed struct {
	Experiment
	VoteCounts
	Submitter string // the member's username; empty: none, or deleted
}

// Totals counts all public experiments.
type Totals struct {
	Experiments int
	Running     int // active or testing
	Completed   int // completed or shipped
	Votes       int // up and down
}

// Order is the sort order of a list.
type Order string

const (
	Newest   Order = "newest"
	MostUp   Order = "votes"    // up minus down
	Furthest Order = "progress" // percent
	Latest   Order = "updated"
)

// Query selects a page of experiments.
type Query struct {
	Text          string // in the title, problem or hypothesis; empty: any
	Status        Status // empty: all public ones; Waiting: those waiting for approval
	MemberID      string // not empty: all of this member, public or not
	Order         Order
	Limit, Offset int
}

// Submission is a submitted idea. The tags define the API schema.
type Submission struct {
	Title      string     `json:"title" doc:"Title" minLength:"5" maxLength:"100"`
	Problem    string     `json:"problem" doc:"Problem that the experiment addresses" minLength:"20" maxLength:"1000"`
	Hypothesis string     `json:"hypothesis" minLength:"20" maxLength:"500" doc:"What is expected, and why: if we build X, then Y will happen because Z"`
	Impact     string     `json:"impact" doc:"Expected benefit" minLength:"10" maxLength:"500"`
	Difficulty Difficulty `json:"difficulty,omitempty" doc:"Estimated difficulty" enum:"easy,medium,hard" default:"medium"` // empty: medium
}

// edit returns the submission as an edit of an empty experiment.
func (s Submission) edit() Edit {
	edit := Edit{Title: &s.Title, Problem: &s.Problem, Hypothesis: &s.Hypothesis, Impact: &s.Impact}
	if s.Difficulty != "" {
		edit.Difficulty = &s.Difficulty
	}
	return edit
}

// Edit is a change of an experiment. Nil fields keep their value. The tags define the API schema.
type Edit struct {
	Title          *string     `json:"title,omitempty" doc:"New title. Default: unchanged" minLength:"5" maxLength:"100"`
	Problem        *string     `json:"problem,omitempty" doc:"New problem. Default: unchanged" minLength:"20" maxLength:"1000"`
	Hypothesis     *string     `json:"hypothesis,omitempty" doc:"New hypothesis. Default: unchanged" minLength:"20" maxLength:"500"`
	Impact         *string     `json:"impact,omitempty" doc:"New expected benefit. Default: unchanged" minLength:"10" maxLength:"500"`
	Difficulty     *Difficulty `json:"difficulty,omitempty" doc:"New difficulty. Default: unchanged" enum:"easy,medium,hard"`
	Progress       *int        `json:"progress,omitempty" doc:"New progress in percent. Default: unchanged" minimum:"0" maximum:"100"`
	Methodology    *[]string   `json:"methodology,omitempty" doc:"New steps of the experiment. Default: unchanged" maxItems:"20"`
	TechStack      *[]string   `json:"techStack,omitempty" doc:"New technologies. Default: unchanged" maxItems:"20"`
	SuccessMetrics *[]string   `json:"successMetrics,omitempty" doc:"New human-readable criteria of success. Default: unchanged" maxItems:"20"`
}

var (
	titles     = bounds{field: "title", min: 5, max: 100}
	problems   = bounds{field: "problem", min: 20, max: 1000, lines: true}
	hypotheses = bounds{field: "hypothesis", min: 20, max: 500, lines: true}
	impacts    = bounds{field: "impact", min: 10, max: 500, lines: true}
)

// put applies the cleaned edit.
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

// Registration is the metric that an experiment registers before it starts.
type Registration struct {
	Metric    Metric
	Threshold float64
	DueAt     time.Time
}

// Review is the setting that selects whose ideas need a founder's approval. Founders' ideas never do.
type Review string

const (
	ReviewAll      Review = "all"
	ReviewVisitors Review = "visitors" // not members'
	ReviewNone     Review = "none"
)

// maxSlug is the maximum length of a slug in bytes.
const maxSlug = 80

// Slug is the name of an experiment in URLs, such as 001-public-experiments-page. It is permanent, even
// if the title changes.
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
		case i == 0: // too long alone
			return slug + "-" + word[:room]
		default:
			return slug
		}
	}
	return slug
}

// ascii removes diacritics and replaces other scripts by spaces.
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

// ShownID is the displayed ID: the number, or the row ID before it has one.
func ShownID(e Experiment) string {
	if e.Number == nil {
		return e.ID
	}
	return fmt.Sprintf("%03d", *e.Number)
}

// Key identifies an experiment by number, or else by slug.
type Key struct {
	Number int
	Slug   string // equals the ID of an experiment without a number
}

// ParseKey parses 1 and 001 as numbers, everything else as a slug or an ID.
func ParseKey(key string) Key {
	if number, err := strconv.ParseUint(key, 10, 31); err == nil && number > 0 {
		return Key{Number: int(number)}
	}
	return Key{Slug: key}
}
