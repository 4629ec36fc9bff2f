package schedule

import (
	"time"

	"customerzero/api/httpapi"
	"customerzero/api/posts"
)

// NewSeries is a post that is to recur.
type NewSeries struct {
	Texts      []string   `json:"texts" minItems:"1" maxItems:"12" doc:"They take turns. X refuses the same text twice: give several, or write {date} or {number} in one"`
	Times      []WallTime `json:"times" minItems:"1" maxItems:"50"`
	Timezone   string     `json:"timezone" maxLength:"60" example:"Europe/Berlin"`
	EndsOn     string     `json:"endsOn,omitempty" maxLength:"10" doc:"The last day, as 2026-12-31; absent: no end"`
	Member     string     `json:"member,omitempty" maxLength:"40" doc:"Who sponsors it, as for posts"`
	MadeWithAI bool       `json:"madeWithAi,omitempty"`
}

// Series is a post that recurs.
type Series struct {
	ID         string           `json:"id"`
	Texts      []string         `json:"texts"`
	Times      []WallTime       `json:"times"`
	Timezone   string           `json:"timezone"`
	EndsOn     string           `json:"endsOn,omitempty"`
	Member     posts.PostMember `json:"member"`
	MadeWithAI bool             `json:"madeWithAi"`
	State      string           `json:"state" enum:"active,paused,ended"`
	Code       string           `json:"code,omitempty"`
	Reason     string           `json:"reason,omitempty" doc:"Why it is paused, for a person"`
	Version    int              `json:"version"`
	Next       *posts.Post      `json:"next,omitempty" doc:"Its next post, which holds its slot already"`
	Upcoming   []time.Time      `json:"upcoming" doc:"The next five times"`
	CreatedAt  time.Time        `json:"createdAt"`
	RunURL     string           `json:"runUrl" doc:"Its Temporal schedule in the console"`
}

// SeriesReply is a series after something was done to it.
type SeriesReply struct {
	Success bool   `json:"success" enum:"true"`
	Series  Series `json:"series"`
}

// SeriesList is a page of series.
type SeriesList struct {
	Series     []Series           `json:"series"`
	Pagination httpapi.Pagination `json:"pagination"`
}

// SeriesDetails is a series and its latest times.
type SeriesDetails struct {
	Series      Series       `json:"series"`
	Occurrences []Occurrence `json:"occurrences" doc:"The latest 50, newest first"`
}

// Occurrence is one time of a series.
type Occurrence struct {
	At     time.Time   `json:"at"`
	State  string      `json:"state" enum:"written,skipped"`
	Code   string      `json:"code,omitempty"`
	Reason string      `json:"reason,omitempty" doc:"Why it was skipped, for a person"`
	Post   *posts.Post `json:"post,omitempty"`
}

// SeriesPreview is when a series would post.
type SeriesPreview struct {
	Upcoming []time.Time `json:"upcoming" doc:"The first five times"`
	PerMonth int         `json:"perMonth" doc:"Slots it takes in 30 days"`
}

// SeriesChange alters a series. What is absent stays.
type SeriesChange struct {
	Texts    *[]string   `json:"texts,omitempty" minItems:"1" maxItems:"12"`
	Times    *[]WallTime `json:"times,omitempty" minItems:"1" maxItems:"50"`
	Timezone *string     `json:"timezone,omitempty" maxLength:"60"`
	EndsOn   *string     `json:"endsOn,omitempty" maxLength:"10" doc:"Empty: no end"`
	State    *string     `json:"state,omitempty" enum:"active,paused"`
	Version  *int        `json:"version,omitempty" doc:"The version that was seen"`
}
