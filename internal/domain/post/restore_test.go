package post_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

func TestWhatMayBeRestored(t *testing.T) {
	t.Parallel()
	hourAgo, dayAgo, longer := noon.Add(-time.Hour), noon.Add(-24*time.Hour), noon.Add(-24*time.Hour-time.Microsecond)
	given := post.Post{Status: post.StatusCancelled, CancelledAt: &hourAgo, Reservation: 1, ScheduledAt: noon.Add(time.Hour)}
	for name, tt := range map[string]struct {
		change func(*post.Post)
		code   problem.Code
	}{
		"given up an hour ago":                  {func(*post.Post) {}, ""},
		"a day ago":                             {func(p *post.Post) { p.CancelledAt = &dayAgo }, ""},
		"more than a day ago":                   {func(p *post.Post) { p.CancelledAt = &longer }, problem.PostClosed},
		"its time has passed":                   {func(p *post.Post) { p.ScheduledAt = noon }, problem.DatePast},
		"a draft, whose time is of no interest": {func(p *post.Post) { p.Reservation, p.ScheduledAt = 0, hourAgo }, ""},
		"given up by the product itself":        {func(p *post.Post) { p.Code = "missed" }, problem.PostClosed},
		"given up before this was noted":        {func(p *post.Post) { p.CancelledAt = nil }, problem.PostClosed},
		"not given up":                          {func(p *post.Post) { p.Status = post.StatusScheduled }, problem.PostClosed},
		"published":                             {func(p *post.Post) { p.Status = post.StatusPublished }, problem.PostClosed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := given
			tt.change(&p)
			err := p.MayRestore(noon)
			if tt.code == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, tt.code, problem.CodeOf(err))
		})
	}
}

func TestRestoredPostIsWhatItWas(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		given  post.Post
		gated  bool
		status post.Status
		review post.Review
	}{
		"a draft":                              {post.Post{}, false, post.StatusDraft, ""},
		"a draft that waited for approval":     {post.Post{Review: post.ReviewAsked}, true, post.StatusDraft, post.ReviewAsked},
		"a scheduled one":                      {post.Post{Reservation: 1}, false, post.StatusScheduled, ""},
		"an approved one":                      {post.Post{Reservation: 1, Review: post.ReviewApproved}, true, post.StatusScheduled, post.ReviewApproved},
		"one that nobody approved, now needed": {post.Post{Reservation: 1}, true, post.StatusDraft, post.ReviewAsked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := tt.given
			require.Equal(t, tt.status == post.StatusScheduled, p.Restore(tt.gated))
			require.Equal(t, tt.status, p.Status)
			require.Equal(t, tt.review, p.Review)
		})
	}
}
