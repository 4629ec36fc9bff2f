// Package experiments answers for experiments, votes and notes.
package experiments

import (
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/experiment"
)

// API answers every operation of this feature.
type API struct{ httpapi.Deps }

// Experiment is one of the lab, as the lists show it.
type Experiment struct {
	httpapi.RunRef
	ID         string     `json:"id" doc:"Its number, like 001; before its approval, its ID"`
	Slug       string     `json:"slug"`
	Title      string     `json:"title"`
	Status     string     `json:"status" enum:"waiting,planning,active,testing,completed,shipped,declined"`
	Problem    string     `json:"problem"`
	Hypothesis string     `json:"hypothesis"`
	Impact     string     `json:"impact"`
	Difficulty string     `json:"difficulty" enum:"easy,medium,hard"`
	Upvotes    int        `json:"upvotes"`
	Downvotes  int        `json:"downvotes"`
	MyVote     int        `json:"my_vote" enum:"-1,0,1" doc:"The caller's; 0: none"`
	VotesOpen  bool       `json:"votes_open"`
	Progress   int        `json:"progress" doc:"Percent"`
	DayCount   int        `json:"day_count" doc:"Days since it became active, the first is 1; when it ended, they stopped"`
	Metric     string     `json:"metric" enum:",posts_published,success_rate,heal_time,members,conversion" doc:"What is measured; empty: nothing"`
	Verdict    string     `json:"verdict" enum:",met,missed,unmeasured,abandoned"`
	Reason     string     `json:"reason,omitempty" doc:"Why it was declined, or how it ended"`
	Origin     string     `json:"origin" enum:"seed,visitor,member,founder"`
	Submitter  string     `json:"submitter,omitempty" doc:"The member's handle, without @"`
	Submitted  time.Time  `json:"submitted_at"`
	StartedAt  *time.Time `json:"started_at,omitempty"`
	EndedAt    *time.Time `json:"ended_at,omitempty"`
	UpdatedAt  time.Time  `json:"updated_at"`
	Version    int        `json:"version" doc:"Of what an edit was made from"`
}

func (a *API) showExperiment(e experiment.Listed, own int) Experiment {
	return Experiment{
		RunRef: httpapi.RunOf(e.WorkflowID, e.RunID), ID: experiment.ShownID(e.Experiment), Slug: e.Slug, Title: e.Title, Status: string(e.Status),
		Problem: e.Problem, Hypothesis: e.Hypothesis, Impact: e.Impact, Difficulty: string(e.Difficulty),
		Upvotes: e.Up, Downvotes: e.Down, MyVote: own, VotesOpen: experiment.VotesOpen(e.Status),
		Progress: e.Progress, DayCount: experiment.Day(e.StartedAt, e.EndedAt, a.Now()), Metric: string(e.Metric), Verdict: string(e.Verdict),
		Reason: e.Reason, Origin: string(e.Origin), Submitter: e.Submitter, Submitted: e.SubmittedAt,
		StartedAt: e.StartedAt, EndedAt: e.EndedAt, UpdatedAt: e.UpdatedAt, Version: e.Version,
	}
}

// ExperimentDetail is an experiment with all that is known of it.
type ExperimentDetail struct {
	Experiment
	Methodology    []string          `json:"methodology"`
	TechStack      []string          `json:"techStack"`
	SuccessMetrics []string          `json:"successMetrics"`
	LabNotes       []LabNote         `json:"labNotes" doc:"The newest day first"`
	Measure        *ExperimentMetric `json:"measure,omitempty" doc:"What was promised, and how it stands"`
	VotesClosedAt  *time.Time        `json:"votes_closed_at,omitempty" doc:"When the votes were counted for good, by the run"`
	CanEdit        bool              `json:"can_edit" doc:"The caller may change it"`
	Moves          []ExperimentMove  `json:"moves" doc:"Where the caller may move it, and why not elsewhere"`
}

// ExperimentMove is a status that may come next.
type ExperimentMove struct {
	To          experiment.Status `json:"to" enum:"planning,active,testing,completed,shipped,declined"`
	NeedsReason bool              `json:"needs_reason"`
	Refused     string            `json:"refused,omitempty" doc:"Why not now"`
}

// ExperimentMetric is a promise and how it stands.
type ExperimentMetric struct {
	Metric     string        `json:"metric" enum:"posts_published,success_rate,heal_time,members,conversion"`
	Label      string        `json:"label"`
	Unit       string        `json:"unit"`
	Says       string        `json:"says" doc:"What is counted"`
	AtMost     bool          `json:"at_most" doc:"It is met at the threshold or below; otherwise at it or above"`
	Threshold  float64       `json:"threshold"`
	DueAt      time.Time     `json:"due_at" doc:"When a run sets the verdict"`
	Value      *float64      `json:"value,omitempty" doc:"Now; when the verdict is set, what it was set by; absent: nothing to measure yet"`
	Sample     int           `json:"sample" doc:"How many posts, runs or checkouts the value is made of"`
	WouldBe    string        `json:"would_be" enum:",met,missed,unmeasured,abandoned" doc:"The verdict if it were set now"`
	MeasuredAt *time.Time    `json:"measured_at,omitempty" doc:"When the verdict was set"`
	Points     []MetricPoint `json:"points" doc:"A value for every day since it became active, oldest first, 60 at most; those with nothing to measure are left out"`
}

// MetricPoint is a metric at the end of a day, or now.
type MetricPoint struct {
	At    time.Time `json:"at"`
	Value float64   `json:"value"`
}

// LabNote is what the lab wrote down on a day.
type LabNote struct {
	Day       int       `json:"day" doc:"Since it became active, the first is 1; 0 and less: before"`
	Date      string    `json:"date" format:"date"`
	Content   string    `json:"content" doc:"Markdown; HTML in it is text"`
	Author    string    `json:"author"`
	Version   int       `json:"version"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Experiments is a page of the lab.
type Experiments struct {
	Experiments []Experiment       `json:"experiments"`
	Totals      ExperimentTotals   `json:"totals"`
	Pagination  httpapi.Pagination `json:"pagination"`
}

// ExperimentTotals are of all public experiments, whatever was asked for.
type ExperimentTotals struct {
	Experiments int `json:"experiments"`
	Running     int `json:"running" doc:"Active or testing"`
	Completed   int `json:"completed" doc:"Completed or shipped"`
	Votes       int `json:"votes" doc:"Up and down"`
	Waiting     int `json:"waiting" doc:"For a founder; 0 to others"`
}

// NewExperiment is an idea.
type NewExperiment experiment.Submission

// SubmittedExperiment answers a submission.
type SubmittedExperiment struct {
	Success    bool       `json:"success" enum:"true"`
	Experiment Experiment `json:"experiment"`
	Waiting    bool       `json:"waiting" doc:"A founder looks at it first"`
	Message    string     `json:"message" doc:"For a person"`
}

// NewVote is a vote.
type NewVote struct {
	ExperimentID string `json:"experimentId" minLength:"1" maxLength:"120" doc:"Its ID or slug"`
	Vote         int    `json:"vote" enum:"1,-1"`
	MemberID     string `json:"memberId,omitempty" maxLength:"40" doc:"The caller's own handle or ID; anybody else's is refused"`
}

// VoteCounted is how the votes of an experiment stand.
type VoteCounted struct {
	Success   bool `json:"success" enum:"true"`
	Upvotes   int  `json:"upvotes"`
	Downvotes int  `json:"downvotes"`
	MyVote    int  `json:"my_vote" enum:"-1,0,1"`
}

// ExperimentEdit changes what an experiment says.
type ExperimentEdit struct {
	Version int `json:"version" minimum:"1" doc:"Of what the edit was made from; an older one is refused"`
	experiment.Edit
}

// ExperimentStep moves an experiment.
type ExperimentStep struct {
	Version int    `json:"version" minimum:"1"`
	To      string `json:"to" enum:"planning,active,testing,completed,shipped,declined"`
	Reason  string `json:"reason,omitempty" maxLength:"300" doc:"For everybody to read; needed to decline"`
}

// NewMetric promises what will be measured.
type NewMetric struct {
	Version   int       `json:"version" minimum:"1"`
	Metric    string    `json:"metric" enum:"posts_published,success_rate,heal_time,members,conversion"`
	Threshold float64   `json:"threshold" minimum:"0" maximum:"1000000"`
	DueAt     time.Time `json:"due_at" doc:"In the future, a year at most"`
}

// NewLabNote is a day's note.
type NewLabNote struct {
	Version int    `json:"version" minimum:"0" doc:"Of the note it replaces; 0: there is none"`
	Content string `json:"content" minLength:"1" maxLength:"8000" doc:"Markdown"`
}

// BySlug is a request that names an experiment in its path.
type BySlug struct {
	Slug string `path:"slug" maxLength:"120"`
}

type (
	listExperimentsRequest struct {
		Q      string `query:"q" maxLength:"100" doc:"In the title, the problem or the hypothesis"`
		Status string `query:"status" enum:",waiting,planning,active,testing,completed,shipped,declined" doc:"Only these; empty: every public one"`
		Sort   string `query:"sort" enum:"newest,votes,progress,updated" default:"newest"`
		httpapi.PageQuery
	}
	similarExperimentsRequest struct {
		Title string `query:"title" maxLength:"100"`
	}
	changeBySlug[T any] struct {
		BySlug
		Body T
	}
	unregisterMetricRequest struct {
		BySlug
		Version int `query:"version" minimum:"1" required:"true"`
	}
	writeLabNoteRequest struct {
		BySlug
		Date string `path:"date" maxLength:"10" doc:"2006-01-02, UTC"`
		Body NewLabNote
	}
	deleteLabNoteRequest struct {
		BySlug
		Date    string `path:"date" maxLength:"10"`
		Version int    `query:"version" minimum:"1" required:"true"`
	}
)

// SimilarExperiments are those that say nearly the same.
type SimilarExperiments struct {
	Experiments []Experiment `json:"experiments"`
}
