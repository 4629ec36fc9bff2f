package schedule

import (
	"time"

	"customerzero/api/httpapi"
	"customerzero/api/posts"
)

// NewRecurringPost is a post that is to recur.
type NewRecurringPost struct {
	Texts      []string    `json:"texts" minItems:"1" maxItems:"12" doc:"They take turns. X refuses the same text twice: give several, or write {date} or {number} in one"`
	Times      []LocalTime `json:"times" minItems:"1" maxItems:"50"`
	Timezone   string      `json:"timezone" maxLength:"60" example:"Europe/Berlin"`
	EndsOn     string      `json:"endsOn,omitempty" maxLength:"10" doc:"The last day, as 2026-12-31; absent: no end"`
	Member     string      `json:"member,omitempty" maxLength:"40" doc:"Who sponsors it, as for posts"`
	MadeWithAI bool        `json:"madeWithAi,omitempty"`
}

// Recurring post is a post that recurs.
type RecurringPost struct {
	ID         string           `json:"id"`
	Texts      []string         `json:"texts"`
	Times      []LocalTime      `json:"times"`
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

// RecurringPostReply is a recurring post after something was done to it.
type RecurringPostReply struct {
	Success       bool          `json:"success" enum:"true"`
	RecurringPost RecurringPost `json:"recurringPost"`
}

// RecurringPostList is a page of recurring posts.
type RecurringPostList struct {
	RecurringPosts []RecurringPost    `json:"recurringPosts"`
	Pagination     httpapi.Pagination `json:"pagination"`
}

// RecurringPostDetails is a recurring post and its latest times.
type RecurringPostDetails struct {
	RecurringPost  RecurringPost   `json:"recurringPost"`
	ScheduledTimes []ScheduledTime `json:"scheduledTimes" doc:"The latest 50, newest first"`
}

// ScheduledTime is one time of a recurring post.
type ScheduledTime struct {
	At     time.Time   `json:"at"`
	State  string      `json:"state" enum:"created,skipped"`
	Code   string      `json:"code,omitempty"`
	Reason string      `json:"reason,omitempty" doc:"Why it was skipped, for a person"`
	Post   *posts.Post `json:"post,omitempty"`
}

// RecurringPostPreview is when a recurring post would post.
type RecurringPostPreview struct {
	Upcoming []time.Time `json:"upcoming" doc:"The first five times"`
	PerMonth int         `json:"perMonth" doc:"Slots it takes in 30 days"`
}

// RecurringPostChange alters a recurring post. What is absent stays.
type RecurringPostChange struct {
	Texts    *[]string    `json:"texts,omitempty" minItems:"1" maxItems:"12"`
	Times    *[]LocalTime `json:"times,omitempty" minItems:"1" maxItems:"50"`
	Timezone *string      `json:"timezone,omitempty" maxLength:"60"`
	EndsOn   *string      `json:"endsOn,omitempty" maxLength:"10" doc:"Empty: no end"`
	State    *string      `json:"state,omitempty" enum:"active,paused"`
	Version  *int         `json:"version,omitempty" doc:"The version that was seen"`
}
