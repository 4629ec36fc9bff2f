package schedule

import (
	"time"

	"customerzero/api/httpapi"
	"customerzero/api/posts"
)

// NewRecurringPost is a recurring post to create.
type NewRecurringPost struct {
	Texts      []string    `json:"texts" minItems:"1" maxItems:"12" doc:"Texts that take turns. X refuses repeated texts, so give several or use {date} or {number} in one"`
	Times      []LocalTime `json:"times" doc:"Weekly times in the time zone" minItems:"1" maxItems:"50"`
	Timezone   string      `json:"timezone" doc:"IANA time zone name" maxLength:"60" example:"Europe/Berlin"`
	EndsOn     string      `json:"endsOn,omitempty" maxLength:"10" doc:"Last day in the time zone, as 2026-12-31. Default: no end"`
	Member     string      `json:"member,omitempty" maxLength:"40" doc:"Name of the member who sponsors it. Default: the calling member, or the founders' share"`
	MadeWithAI bool        `json:"madeWithAi,omitempty" doc:"True if a language model wrote the texts, which our pages then show. Default: false"`
}

// RecurringPost is a recurring post with its next times.
type RecurringPost struct {
	ID         string           `json:"id" doc:"Recurring post ID"`
	Texts      []string         `json:"texts" doc:"Texts that take turns"`
	Times      []LocalTime      `json:"times" doc:"Weekly times in the time zone"`
	Timezone   string           `json:"timezone" doc:"IANA time zone name"`
	EndsOn     string           `json:"endsOn,omitempty" doc:"Last day in the time zone; omitted if there is no end"`
	Member     posts.PostMember `json:"member" doc:"The member who sponsors it"`
	MadeWithAI bool             `json:"madeWithAi" doc:"True if a language model wrote its texts"`
	State      string           `json:"state" doc:"State of the recurring post" enum:"active,paused,ended"`
	Code       string           `json:"code,omitempty" doc:"Machine-readable reason for a pause"`
	Reason     string           `json:"reason,omitempty" doc:"Human-readable reason for a pause"`
	Version    int              `json:"version" doc:"Version to send with a change"`
	Next       *posts.Post      `json:"next,omitempty" doc:"Its next post, which already holds its slot; omitted if there is none"`
	Upcoming   []time.Time      `json:"upcoming" doc:"The next 5 times; empty unless it is active"`
	CreatedAt  time.Time        `json:"createdAt" doc:"Time of creation"`
	RunURL     string           `json:"runUrl" doc:"URL of its schedule in the Temporal console"`
}

// RecurringPostReply is a recurring post after a change.
type RecurringPostReply struct {
	Success       bool          `json:"success" doc:"Always true" enum:"true"`
	RecurringPost RecurringPost `json:"recurringPost" doc:"The recurring post after the change"`
}

// RecurringPostList is a page of recurring posts.
type RecurringPostList struct {
	RecurringPosts []RecurringPost    `json:"recurringPosts" doc:"Recurring posts of this page"`
	Pagination     httpapi.Pagination `json:"pagination" doc:"Position of this page in the whole list"`
}

// RecurringPostDetails is a recurring post with its latest scheduled times.
type RecurringPostDetails struct {
	RecurringPost  RecurringPost   `json:"recurringPost" doc:"The recurring post"`
	ScheduledTimes []ScheduledTime `json:"scheduledTimes" doc:"Its latest 50 scheduled times, newest first"`
}

// ScheduledTime is one time of a recurring post.
type ScheduledTime struct {
	At     time.Time   `json:"at" doc:"The scheduled time"`
	State  string      `json:"state" doc:"Whether a post was created" enum:"created,skipped"`
	Code   string      `json:"code,omitempty" doc:"Machine-readable reason why it was skipped"`
	Reason string      `json:"reason,omitempty" doc:"Human-readable reason why it was skipped"`
	Post   *posts.Post `json:"post,omitempty" doc:"The created post"`
}

// RecurringPostPreview shows when a recurring post would post.
type RecurringPostPreview struct {
	Upcoming []time.Time `json:"upcoming" doc:"The first 5 times"`
	PerMonth int         `json:"perMonth" doc:"Slots that it takes in 30 days"`
}

// RecurringPostChange changes a recurring post. Absent fields keep their values.
type RecurringPostChange struct {
	Texts    *[]string    `json:"texts,omitempty" doc:"New texts. Default: unchanged" minItems:"1" maxItems:"12"`
	Times    *[]LocalTime `json:"times,omitempty" doc:"New weekly times. Default: unchanged" minItems:"1" maxItems:"50"`
	Timezone *string      `json:"timezone,omitempty" doc:"New IANA time zone. Default: unchanged" maxLength:"60"`
	EndsOn   *string      `json:"endsOn,omitempty" maxLength:"10" doc:"New last day, or an empty string for no end. Default: unchanged"`
	State    *string      `json:"state,omitempty" doc:"paused to pause it, active to resume it. Default: unchanged" enum:"active,paused"`
	Version  *int         `json:"version,omitempty" doc:"Version that was read; an outdated one is refused"`
}
