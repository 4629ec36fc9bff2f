// Package experiments serves experiments, votes and lab notes.
package experiments

import (
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/experiment"
)

// API implements the operations of this feature.
type API struct{ httpapi.Deps }

// Experiment is an experiment in a list.
type Experiment struct {
	httpapi.RunRef
	ID         string     `json:"id" doc:"Number of the experiment, for example 001; its internal ID until it is approved"`
	Slug       string     `json:"slug" doc:"Name of the experiment in URLs"`
	Title      string     `json:"title" doc:"Title"`
	Status     string     `json:"status" doc:"Status; waiting means that a founder has to approve it" enum:"waiting,planning,active,testing,completed,shipped,declined"`
	Problem    string     `json:"problem" doc:"Problem that the experiment addresses"`
	Hypothesis string     `json:"hypothesis" doc:"Expected result, and the reason for it"`
	Impact     string     `json:"impact" doc:"Expected benefit"`
	Difficulty string     `json:"difficulty" doc:"Estimated difficulty" enum:"easy,medium,hard"`
	Upvotes    int        `json:"upvotes" doc:"Number of votes for it"`
	Downvotes  int        `json:"downvotes" doc:"Number of votes against it"`
	MyVote     int        `json:"my_vote" enum:"-1,0,1" doc:"The caller's vote; 0 if there is none"`
	VotesOpen  bool       `json:"votes_open" doc:"True if members can vote"`
	Progress   int        `json:"progress" doc:"Progress in percent"`
	DayCount   int        `json:"day_count" doc:"Days since the experiment became active, starting with 1; 0 before. It stops at the end"`
	Metric     string     `json:"metric" enum:",posts_published,success_rate,heal_time,members,conversion" doc:"Registered metric; empty if there is none"`
	Verdict    string     `json:"verdict" doc:"Verdict on the metric; empty until it is set" enum:",met,missed,unmeasured,abandoned"`
	Reason     string     `json:"reason,omitempty" doc:"Why the experiment was declined, or how it ended"`
	Origin     string     `json:"origin" doc:"Role of the submitter; seed for the example that comes with the product" enum:"seed,visitor,member,founder"`
	Submitter  string     `json:"submitter,omitempty" doc:"Name of the member who submitted it, without @"`
	Submitted  time.Time  `json:"submitted_at" doc:"Time of submission"`
	StartedAt  *time.Time `json:"started_at,omitempty" doc:"Time at which it became active"`
	EndedAt    *time.Time `json:"ended_at,omitempty" doc:"Time at which it ended"`
	UpdatedAt  time.Time  `json:"updated_at" doc:"Time of the last change"`
	Version    int        `json:"version" doc:"Version to send with a change"`
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

// ExperimentDetail is an experiment in full.
type ExperimentDetail struct {
	Experiment
	Methodology    []string          `json:"methodology" doc:"Steps of the experiment"`
	TechStack      []string          `json:"techStack" doc:"Technologies that it uses"`
	SuccessMetrics []string          `json:"successMetrics" doc:"Human-readable criteria of success"`
	LabNotes       []LabNote         `json:"labNotes" doc:"Lab notes, newest day first"`
	Measure        *RegisteredMetric `json:"measure,omitempty" doc:"Registered metric and its values; omitted if there is none"`
	VotesClosedAt  *time.Time        `json:"votes_closed_at,omitempty" doc:"Time at which the votes were counted for the last time"`
	CanEdit        bool              `json:"can_edit" doc:"True if the caller may change the experiment"`
	Moves          []ExperimentMove  `json:"moves" doc:"Statuses that the caller may move it to"`
}

// ExperimentMove is a possible next status.
type ExperimentMove struct {
	To          experiment.Status `json:"to" doc:"Next status" enum:"planning,active,testing,completed,shipped,declined"`
	NeedsReason bool              `json:"needs_reason" doc:"True if the move needs a reason"`
	Refused     string            `json:"refused,omitempty" doc:"Why the move is not possible now; omitted if it is"`
}

// RegisteredMetric is the metric that an experiment registered, with its current value.
type RegisteredMetric struct {
	Metric      string        `json:"metric" doc:"Name of the metric" enum:"posts_published,success_rate,heal_time,members,conversion"`
	Label       string        `json:"label" doc:"Title of the metric"`
	Unit        string        `json:"unit" doc:"Unit of the values"`
	Description string        `json:"description" doc:"Events and period that the metric counts"`
	AtMost      bool          `json:"at_most" doc:"True if the metric is met at or below the threshold, false if at or above"`
	Threshold   float64       `json:"threshold" doc:"Threshold in the metric's unit"`
	DueAt       time.Time     `json:"due_at" doc:"Time at which the verdict is set"`
	Value       *float64      `json:"value,omitempty" doc:"Current value, or the value that the verdict is based on; omitted if there is nothing to measure"`
	Sample      int           `json:"sample" doc:"Number of posts, runs or checkouts behind the value"`
	WouldBe     string        `json:"would_be" enum:",met,missed,unmeasured,abandoned" doc:"Verdict if it were set now"`
	MeasuredAt  *time.Time    `json:"measured_at,omitempty" doc:"Time at which the verdict was set"`
	Points      []MetricPoint `json:"points" doc:"Daily values since the experiment became active, oldest first, at most 60; days without data are omitted"`
}

// MetricPoint is the value of a metric at the end of a day, or now.
type MetricPoint struct {
	At    time.Time `json:"at" doc:"End of the day in UTC, or the current time"`
	Value float64   `json:"value" doc:"Value in the metric's unit"`
}

// LabNote is the note of a day.
type LabNote struct {
	Day       int       `json:"day" doc:"Days since the experiment became active, starting with 1; 0 or less before"`
	Date      string    `json:"date" doc:"Day in UTC" format:"date"`
	Content   string    `json:"content" doc:"Markdown text; HTML in it is not rendered"`
	Author    string    `json:"author" doc:"Name of the founder who wrote it; empty for an example"`
	Example   bool      `json:"example" doc:"True if the note is an example that came with the product"`
	Version   int       `json:"version" doc:"Version to send with a change"`
	UpdatedAt time.Time `json:"updated_at" doc:"Time of the last change"`
}

// Experiments is a page of experiments.
type Experiments struct {
	Experiments []Experiment       `json:"experiments" doc:"Experiments of this page"`
	Totals      ExperimentTotals   `json:"totals" doc:"Totals of all public experiments"`
	Pagination  httpapi.Pagination `json:"pagination" doc:"Position of this page in the whole list"`
}

// OwnExperiments are the ideas of a member.
type OwnExperiments struct {
	Experiments []Experiment `json:"experiments" doc:"Ideas of the caller's membership, newest first"`
}

// ExperimentTotals are counts of all public experiments, regardless of the filter.
type ExperimentTotals struct {
	Experiments int `json:"experiments" doc:"Number of public experiments"`
	Running     int `json:"running" doc:"Experiments that are active or testing"`
	Completed   int `json:"completed" doc:"Experiments that are completed or shipped"`
	Votes       int `json:"votes" doc:"Number of votes for and against"`
	Waiting     int `json:"waiting" doc:"Experiments that wait for approval; 0 unless the caller is a founder"`
}

// NewExperiment is a submission.
type NewExperiment experiment.Submission

// SubmittedExperiment is a stored submission.
type SubmittedExperiment struct {
	Success    bool       `json:"success" doc:"Always true" enum:"true"`
	Experiment Experiment `json:"experiment" doc:"The stored experiment"`
	Waiting    bool       `json:"waiting" doc:"True if a founder has to approve it first"`
	Message    string     `json:"message" doc:"Confirmation to show to the user"`
}

// NewVote is a vote.
type NewVote struct {
	ExperimentID string `json:"experimentId" minLength:"1" maxLength:"120" doc:"ID or slug of the experiment"`
	Vote         int    `json:"vote" doc:"1 to vote for it, -1 to vote against it" enum:"1,-1"`
	MemberID     string `json:"memberId,omitempty" maxLength:"40" doc:"The caller's own name or member ID; it may be omitted"`
}

// VoteCounted holds the votes of an experiment.
type VoteCounted struct {
	Success   bool `json:"success" doc:"Always true" enum:"true"`
	Upvotes   int  `json:"upvotes" doc:"Number of votes for the experiment"`
	Downvotes int  `json:"downvotes" doc:"Number of votes against the experiment"`
	MyVote    int  `json:"my_vote" doc:"The caller's vote; 0 if there is none" enum:"-1,0,1"`
}

// ExperimentEdit changes the texts of an experiment.
type ExperimentEdit struct {
	Version int `json:"version" minimum:"1" doc:"Version that was read; an outdated one is refused"`
	experiment.Edit
}

// ExperimentStep moves an experiment to another status.
type ExperimentStep struct {
	Version int    `json:"version" doc:"Version that was read; an outdated one is refused" minimum:"1"`
	To      string `json:"to" doc:"Next status" enum:"planning,active,testing,completed,shipped,declined"`
	Reason  string `json:"reason,omitempty" maxLength:"300" doc:"Public reason, required to decline"`
}

// NewMetric registers the metric that decides the verdict.
type NewMetric struct {
	Version   int       `json:"version" doc:"Version that was read; an outdated one is refused" minimum:"1"`
	Metric    string    `json:"metric" doc:"Name of the metric" enum:"posts_published,success_rate,heal_time,members,conversion"`
	Threshold float64   `json:"threshold" doc:"Threshold in the metric's unit" minimum:"0" maximum:"1000000"`
	DueAt     time.Time `json:"due_at" doc:"Time at which the verdict is set, from 1 hour to 1 year ahead"`
}

// NewLabNote writes or replaces the note of a day.
type NewLabNote struct {
	Version int    `json:"version" minimum:"0" doc:"Version of the note that is replaced; 0 for a new note"`
	Content string `json:"content" minLength:"1" maxLength:"8000" doc:"Markdown text"`
}

// BySlug is a request with an experiment's slug in its path.
type BySlug struct {
	Slug string `path:"slug" doc:"Slug or ID of the experiment" maxLength:"120"`
}

type (
	listExperimentsRequest struct {
		Q      string `query:"q" maxLength:"100" doc:"Text to find in the title, problem or hypothesis"`
		Status string `query:"status" enum:",waiting,planning,active,testing,completed,shipped,declined" doc:"Return only this status. Default: every public experiment"`
		Sort   string `query:"sort" doc:"Order of the list" enum:"newest,votes,progress,updated" default:"newest"`
		httpapi.PageQuery
	}
	similarExperimentsRequest struct {
		Title string `query:"title" doc:"Title to compare with" maxLength:"100"`
	}
	changeBySlug[T any] struct {
		BySlug
		Body T
	}
	unregisterMetricRequest struct {
		BySlug
		Version int `query:"version" doc:"Version of the experiment that was read" minimum:"1" required:"true"`
	}
	writeLabNoteRequest struct {
		BySlug
		Date string `path:"date" maxLength:"10" doc:"Day in UTC, as 2026-12-31"`
		Body NewLabNote
	}
	deleteLabNoteRequest struct {
		BySlug
		Date    string `path:"date" doc:"Day in UTC, as 2026-12-31" maxLength:"10"`
		Version int    `query:"version" doc:"Version of the note that was read" minimum:"1" required:"true"`
	}
)

// SimilarExperiments are experiments with nearly the same title.
type SimilarExperiments struct {
	Experiments []Experiment `json:"experiments" doc:"Similar experiments, most similar first, at most 3"`
}
