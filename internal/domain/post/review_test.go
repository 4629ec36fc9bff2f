package post_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

func TestSettle(t *testing.T) {
	t.Parallel()
	const said, better, mine = "said", "better", "mine"
	for name, tt := range map[string]struct {
		review  post.Review
		text    string // after the change
		change  post.Change
		becomes post.Review
		goesOut bool
	}{
		"a plain draft goes out":                             {text: said, change: post.Change{Schedule: true}, goesOut: true},
		"a plain draft that needs approval asks":             {text: said, change: post.Change{Schedule: true, Gated: true}, becomes: post.ReviewRequested},
		"a plain draft that is only edited stays one":        {text: mine, change: post.Change{Gated: true}},
		"asked, edited: still asked":                         {review: post.ReviewRequested, text: mine, change: post.Change{Gated: true}, becomes: post.ReviewRequested},
		"asked, scheduled by its member: still asked":        {review: post.ReviewRequested, text: said, change: post.Change{Schedule: true, Gated: true}, becomes: post.ReviewRequested},
		"asked, and approvals were dropped":                  {review: post.ReviewRequested, text: said, change: post.Change{Schedule: true}, goesOut: true},
		"asked, scheduled by a founder: approved":            {review: post.ReviewRequested, text: said, change: post.Change{Schedule: true, Reviewer: "grace"}, becomes: post.ReviewApproved, goesOut: true},
		"the suggestion accepted":                            {review: post.ReviewSuggested, text: better, change: post.Change{Schedule: true, Gated: true}, becomes: post.ReviewApproved, goesOut: true},
		"the suggestion taken over, not yet scheduled":       {review: post.ReviewSuggested, text: better, change: post.Change{Gated: true}, becomes: post.ReviewSuggested},
		"the suggestion ignored: the old text asks again":    {review: post.ReviewSuggested, text: said, change: post.Change{Schedule: true, Gated: true}, becomes: post.ReviewRequested},
		"the suggestion changed: a new question":             {review: post.ReviewSuggested, text: "better!", change: post.Change{Schedule: true, Gated: true}, becomes: post.ReviewRequested},
		"another text than the suggestion, not scheduled":    {review: post.ReviewSuggested, text: mine, change: post.Change{Gated: true}, becomes: post.ReviewRequested},
		"only another time: the suggestion stands":           {review: post.ReviewSuggested, text: said, change: post.Change{Gated: true}, becomes: post.ReviewSuggested},
		"rejected, edited: rejected until it asks":           {review: post.ReviewRejected, text: mine, change: post.Change{Gated: true}, becomes: post.ReviewRejected},
		"rejected, scheduled: asks again":                    {review: post.ReviewRejected, text: said, change: post.Change{Schedule: true, Gated: true}, becomes: post.ReviewRequested},
		"approved, and given back as a draft: goes out":      {review: post.ReviewApproved, text: said, change: post.Change{Schedule: true, Gated: true}, becomes: post.ReviewApproved, goesOut: true},
		"approved, then changed: the approval was of others": {review: post.ReviewApproved, text: mine, change: post.Change{Schedule: true, Gated: true}, becomes: post.ReviewRequested},
	} {
		t.Run(name, func(t *testing.T) {
			p := post.Post{Status: post.StatusDraft, Review: tt.review, Text: tt.text}
			if tt.review == post.ReviewSuggested {
				p.Suggestion, p.Reviewer, p.ReviewReason = better, "grace", "shorter"
			}
			require.Equal(t, tt.goesOut, p.Settle(tt.change, said))
			require.Equal(t, tt.becomes, p.Review)
			require.Equal(t, p.Review == post.ReviewSuggested, p.Suggestion != "")
			if p.Review == post.ReviewRequested {
				require.Empty(t, p.Reviewer+p.ReviewReason, "comments on the old text are dropped")
			}
		})
	}
}

func TestIncompleteDecisionsAreRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		decision post.Decision
		code     problem.Code
	}{
		"approved":                    {decision: post.Decision{Review: post.ReviewApproved}},
		"rejected with a reason":      {decision: post.Decision{Review: post.ReviewRejected, Reason: "too loud"}},
		"rejected without a reason":   {post.Decision{Review: post.ReviewRejected}, problem.Invalid},
		"a suggestion":                {decision: post.Decision{Review: post.ReviewSuggested, Suggestion: "better"}},
		"no suggestion":               {post.Decision{Review: post.ReviewSuggested, Reason: "hm"}, problem.Invalid},
		"the same text as suggestion": {post.Decision{Review: post.ReviewSuggested, Suggestion: "said"}, problem.Invalid},
		"a suggestion X would refuse": {post.Decision{Review: post.ReviewSuggested, Suggestion: "a\x00b"}, problem.TextInvalid},
		"an invisible suggestion":     {post.Decision{Review: post.ReviewSuggested, Suggestion: " \n"}, problem.TextEmpty},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.code, codeOf(tt.decision.Check(post.Post{Text: "said"})))
		})
	}
}

func TestApprovedTime(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		created, scheduled time.Time
		at                 time.Time // zero: its time has passed
	}{
		"still to come":                      {noon.Add(-time.Hour), noon.Add(time.Hour), noon.Add(time.Hour)},
		"meant for now, days ago":            {noon.Add(-72 * time.Hour), noon.Add(-72 * time.Hour), noon},
		"meant for now, but for a minute":    {noon.Add(-72 * time.Hour), noon.Add(-72*time.Hour + time.Minute), noon},
		"meant for another time, now past":   {noon.Add(-72 * time.Hour), noon.Add(-time.Hour), time.Time{}},
		"meant for a time half a minute ago": {noon.Add(-72 * time.Hour), noon.Add(-30 * time.Second), noon.Add(-30 * time.Second)},
	} {
		t.Run(name, func(t *testing.T) {
			at, err := post.Post{CreatedAt: tt.created, ScheduledAt: tt.scheduled}.ApprovedTime(noon)
			if tt.at.IsZero() {
				require.Equal(t, problem.DatePast, problem.CodeOf(err))
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.at, at)
		})
	}
}
