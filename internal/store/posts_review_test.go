package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/email"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// ask creates a member's post that waits for approval.
func ask(t *testing.T, s *store.DB, memberID *string, at time.Time) post.Post {
	t.Helper()
	p := draft(memberID, at)
	p.Status, p.Review = post.StatusDraft, post.ReviewRequested
	return must(s.Posts.CreatePost(t.Context(), p, november))(t)
}

var (
	approved  = post.Decision{Review: post.ReviewApproved, Reviewer: "grace"}
	rejected  = post.Decision{Review: post.ReviewRejected, Reviewer: "grace", Reason: "too loud"}
	suggested = post.Decision{Review: post.ReviewSuggested, Reviewer: "grace", Suggestion: "quietly", Reason: "so"}
)

func review(t *testing.T, s *store.DB, p post.Post, d post.Decision) post.Post {
	t.Helper()
	return must(s.Posts.ReviewPost(t.Context(), p.ID, d, november))(t)
}

func TestReviews(t *testing.T) {
	t.Parallel()
	each(t, "an approved post gets slot and credit", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		p := ask(t, s, ada, november.Add(time.Hour))
		require.Equal(t, []int{0, 90}, []int{usage(t, s, "2026-11").Reserved, balance(t, s, ada)}, "what waits holds nothing")
		require.Equal(t, 1, must(s.Posts.ToReview(t.Context()))(t))
		p = review(t, s, p, approved)
		require.Equal(t, []any{post.StatusScheduled, post.ReviewApproved, "grace"}, []any{p.Status, p.Review, p.Reviewer})
		require.WithinDuration(t, november.Add(time.Hour), p.ScheduledAt, 0)
		require.Equal(t, []int{1, 89}, []int{usage(t, s, "2026-11").Reserved, balance(t, s, ada)})
		require.Len(t, must(s.Posts.Waiting(t.Context(), false))(t), 1, "the dispatcher finds it, should its run not start")
		requireCode(t, problem.ReviewClosed, errOf(s.Posts.ReviewPost(t.Context(), p.ID, rejected, november)))
	})
	each(t, "a post without a decision is never published", func(t *testing.T, s *store.DB) {
		p := ask(t, s, newMember(t, s, "ada"), november.Add(time.Hour))
		for _, now := range []time.Time{november.Add(time.Hour), november.AddDate(1, 0, 0), november.AddDate(50, 0, 0)} {
			require.Empty(t, must(s.Posts.DuePosts(t.Context(), now))(t))
			require.Empty(t, must(s.Posts.Waiting(t.Context(), true))(t), "no run is started for it")
			require.Equal(t, post.StatusDraft, must(s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), now))(t).Status)
		}
	})
	each(t, "an accepted suggestion is scheduled at once", func(t *testing.T, s *store.DB) {
		p := review(t, s, ask(t, s, newMember(t, s, "ada"), november.Add(time.Hour)), suggested)
		seen := p.Version
		p = must(s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &suggested.Suggestion, Schedule: true, Gated: true, Version: &seen}, november))(t)
		require.Equal(t, []any{post.StatusScheduled, post.ReviewApproved}, []any{p.Status, p.Review})
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
		other := "louder"
		p = must(s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &other}, november))(t)
		require.Equal(t, post.ReviewNone, p.Review, "nobody approved these words")
	})
	each(t, "a decision about an older version is a conflict", func(t *testing.T, s *store.DB) {
		p := ask(t, s, newMember(t, s, "ada"), november.Add(time.Hour))
		seen, text := p.Version, "other words"
		must(s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &text, Gated: true}, november))(t)
		d := approved
		d.Version = &seen
		require.Equal(t, problem.Conflict, codeOf(s.Posts.ReviewPost(t.Context(), p.ID, d, november)))
		now := seen + 1
		d.Version = &now
		for range 2 { // a repeat after a lost answer
			p = must(s.Posts.ReviewPost(t.Context(), p.ID, d, november))(t)
			require.Equal(t, seen+2, p.Version)
		}
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
	})
	each(t, "an approval after its time needs another", func(t *testing.T, s *store.DB) {
		p, late := ask(t, s, newMember(t, s, "ada"), november.Add(time.Hour)), november.Add(48*time.Hour)
		requireCode(t, problem.DatePast, errOf(s.Posts.ReviewPost(t.Context(), p.ID, approved, late)))
		require.Zero(t, usage(t, s, "2026-11").Reserved, "nothing is held for a refusal")
		d, other := approved, late.Add(time.Hour)
		d.At = &other
		require.WithinDuration(t, other, must(s.Posts.ReviewPost(t.Context(), p.ID, d, late))(t).ScheduledAt, 0)
	})
	each(t, "an approval needs a free slot", func(t *testing.T, s *store.DB) {
		p := ask(t, s, newMember(t, s, "ada"), november.Add(time.Hour))
		require.NoError(t, s.Exec(`INSERT INTO quota_months (month, opened_at) VALUES ('2026-11', ?)`, november)) // without slots
		requireCode(t, problem.QuotaExhausted, errOf(s.Posts.ReviewPost(t.Context(), p.ID, approved, november)))
		require.Equal(t, post.ReviewRequested, must(s.Posts.Post(t.Context(), p.ID))(t).Review, "it can be approved later")
	})
	each(t, "founders and author are notified", func(t *testing.T, s *store.DB) {
		ada := concerned(t, s)
		p := ask(t, s, ada, november.Add(time.Hour))
		ask(t, s, ada, november.Add(time.Hour)) // within the hour, no second email
		require.Equal(t, map[string][]map[string]string{"grace@example.com": {{"Member": "@ada", "Excerpt": p.Text}}}, emails(t, s, email.ReviewRequested))
		review(t, s, p, suggested)
		review(t, s, p, rejected)
		done := emails(t, s, email.ReviewDone)
		require.ElementsMatch(t, []map[string]string{
			{"Excerpt": p.Text, "Decision": "suggested", "Reason": "so", "Suggestion": "quietly"},
			{"Excerpt": p.Text, "Decision": "rejected", "Reason": "too loud", "Suggestion": ""},
		}, done["ada@example.com"])
		require.Len(t, done, 1)
	})
	each(t, "the oldest is listed first", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		first, second := ask(t, s, ada, november.Add(2*time.Hour)), ask(t, s, ada, november.Add(time.Hour))
		cancelPost(t, s, ask(t, s, ada, november))
		found, total := must2(s.Posts.Posts(t.Context(), post.Filter{Reviews: []post.Review{post.ReviewRequested}, Limit: 10}))(t)
		require.Equal(t, 2, total, "cancelled posts do not wait")
		require.Equal(t, []string{first.ID, second.ID}, idsOf(found))
	})
}

// emails returns the facts of pending emails of a kind, by address.
func emails(t *testing.T, s *store.DB, kind email.Kind) map[string][]map[string]string {
	t.Helper()
	found := map[string][]map[string]string{}
	for _, l := range must(s.Emails.WaitingEmails(t.Context(), true))(t) {
		if l.Kind == kind {
			_, content := must2(s.Emails.Email(t.Context(), l.ID))(t)
			found[content.To] = append(found[content.To], content.Facts)
		}
	}
	return found
}
