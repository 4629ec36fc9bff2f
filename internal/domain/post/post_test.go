package post_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

func TestMayRestore(t *testing.T) {
	t.Parallel()
	hourAgo, dayAgo, longer := noon.Add(-time.Hour), noon.Add(-24*time.Hour), noon.Add(-24*time.Hour-time.Microsecond)
	given := post.Post{Status: post.StatusCancelled, CancelledAt: &hourAgo, Reservations: 1, ScheduledAt: noon.Add(time.Hour)}
	for name, tt := range map[string]struct {
		change func(*post.Post)
		code   problem.Code
	}{
		"cancelled an hour ago":       {func(*post.Post) {}, ""},
		"a day ago":                   {func(p *post.Post) { p.CancelledAt = &dayAgo }, ""},
		"more than a day ago":         {func(p *post.Post) { p.CancelledAt = &longer }, problem.PostClosed},
		"its time has passed":         {func(p *post.Post) { p.ScheduledAt = noon }, problem.DatePast},
		"a draft in the past":         {func(p *post.Post) { p.Reservations, p.ScheduledAt = 0, hourAgo }, ""},
		"cancelled by the product":    {func(p *post.Post) { p.Code = "missed" }, problem.PostClosed},
		"without a cancellation time": {func(p *post.Post) { p.CancelledAt = nil }, problem.PostClosed},
		"not cancelled":               {func(p *post.Post) { p.Status = post.StatusScheduled }, problem.PostClosed},
		"published":                   {func(p *post.Post) { p.Status = post.StatusPublished }, problem.PostClosed},
	} {
		t.Run(name, func(t *testing.T) {
			p := given
			tt.change(&p)
			require.Equal(t, tt.code, codeOf(p.MayRestore(noon)))
		})
	}
}

func TestRestore(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		given  post.Post
		gated  bool
		status post.Status
		review post.Review
	}{
		"a draft":                              {post.Post{}, false, post.StatusDraft, ""},
		"a draft that waited for approval":     {post.Post{Review: post.ReviewRequested}, true, post.StatusDraft, post.ReviewRequested},
		"a scheduled one":                      {post.Post{Reservations: 1}, false, post.StatusScheduled, ""},
		"an approved one":                      {post.Post{Reservations: 1, Review: post.ReviewApproved}, true, post.StatusScheduled, post.ReviewApproved},
		"an unapproved one, approval required": {post.Post{Reservations: 1}, true, post.StatusDraft, post.ReviewRequested},
	} {
		t.Run(name, func(t *testing.T) {
			p := tt.given
			require.Equal(t, tt.status == post.StatusScheduled, p.Restore(tt.gated))
			require.Equal(t, tt.status, p.Status)
			require.Equal(t, tt.review, p.Review)
		})
	}
}

func TestWhenAMonthIsUsedUp(t *testing.T) {
	t.Parallel()
	on := func(day, hour int) time.Time { return time.Date(2026, time.November, day, hour, 0, 0, 0, time.UTC) }
	for name, tt := range map[string]struct {
		spent int
		month post.Month
		now   time.Time
		empty time.Time // zero: no forecast
	}{
		"as many as days pass":           {250, "2026-11", on(11, 0), on(21, 0)},
		"at a tenth of the pace":         {25, "2026-11", on(11, 0), time.Time{}},
		"just enough for the month":      {100, "2026-11", on(7, 0), time.Time{}},
		"all gone":                       {500, "2026-11", on(11, 0), on(11, 0)},
		"on the second day: too early":   {400, "2026-11", on(2, 23), time.Time{}},
		"on the third":                   {400, "2026-11", on(3, 0), on(3, 12)},
		"nothing went out":               {0, "2026-11", on(11, 0), time.Time{}},
		"another month":                  {250, "2026-12", on(11, 0), time.Time{}},
		"the month before, that is over": {250, "2026-10", on(11, 0), time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			empty := post.MonthUsage{Spent: tt.spent}.EmptyOn(tt.month, tt.now)
			require.Equal(t, tt.empty.IsZero(), empty == nil)
			if empty != nil {
				require.WithinDuration(t, tt.empty, *empty, time.Second)
			}
		})
	}
}
