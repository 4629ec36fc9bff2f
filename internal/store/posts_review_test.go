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

// ask writes a member's post that waits for approval.
func ask(t *testing.T, s *store.DB, memberID *string, at time.Time) post.Post {
	t.Helper()
	p := draft(memberID, at)
	p.Status, p.Review = post.StatusDraft, post.ReviewAsked
	p, err := s.Posts.CreatePost(t.Context(), p, november)
	require.NoError(t, err)
	return p
}

var (
	approved  = post.Decision{Review: post.ReviewApproved, Reviewer: "grace"}
	rejected  = post.Decision{Review: post.ReviewRejected, Reviewer: "grace", Reason: "too loud"}
	suggested = post.Decision{Review: post.ReviewSuggested, Reviewer: "grace", Suggestion: "quietly", Reason: "so"}
)

func review(t *testing.T, s *store.DB, p post.Post, d post.Decision) post.Post {
	t.Helper()
	p, err := s.Posts.ReviewPost(t.Context(), p.ID, d, november)
	require.NoError(t, err)
	return p
}

func TestApprovedPostHasItsSlotAndCredit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		p := ask(t, s, ada, november.Add(time.Hour))
		require.Zero(t, usage(t, s, "2026-11").Reserved, "what waits holds nothing")
		require.Equal(t, 90, balance(t, s, ada))
		waiting, err := s.Posts.ToReview(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, waiting)

		p = review(t, s, p, approved)
		require.Equal(t, post.StatusScheduled, p.Status)
		require.Equal(t, []any{post.ReviewApproved, "grace"}, []any{p.Review, p.Reviewer})
		require.WithinDuration(t, november.Add(time.Hour), p.ScheduledAt, 0)
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
		require.Equal(t, 89, balance(t, s, ada))
		runs, err := s.Posts.Waiting(t.Context(), false)
		require.NoError(t, err)
		require.Len(t, runs, 1, "the starter finds it, should nobody start its run")

		_, err = s.Posts.ReviewPost(t.Context(), p.ID, rejected, november)
		require.Equal(t, problem.ReviewClosed, problem.CodeOf(err))
	})
}

func TestSilenceNeverPublishes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := ask(t, s, newMember(t, s, "ada"), november.Add(time.Hour))
		for _, now := range []time.Time{november.Add(time.Hour), november.AddDate(1, 0, 0), november.AddDate(50, 0, 0)} {
			due, err := s.Posts.DuePosts(t.Context(), now)
			require.NoError(t, err)
			require.Empty(t, due)
			waiting, err := s.Posts.Waiting(t.Context(), true)
			require.NoError(t, err)
			require.Empty(t, waiting, "no run is started for it")
			still, err := s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), now)
			require.NoError(t, err)
			require.Equal(t, post.StatusDraft, still.Status)
		}
	})
}

func TestApprovalAfterItsTime(t *testing.T) {
	t.Parallel()
	late := november.Add(48 * time.Hour)
	other := late.Add(time.Hour)
	for name, tt := range map[string]struct {
		meant time.Time // which it was written for
		at    *time.Time
		goes  time.Time // zero: refused
	}{
		"meant for now: goes out now":         {november, nil, late},
		"meant for a time: another is needed": {november.Add(time.Hour), nil, time.Time{}},
		"given another":                       {november.Add(time.Hour), &other, other},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.DB) {
				p := ask(t, s, newMember(t, s, "ada"), tt.meant)
				d := approved
				d.At = tt.at
				p, err := s.Posts.ReviewPost(t.Context(), p.ID, d, late)
				if tt.goes.IsZero() {
					require.Equal(t, problem.DatePast, problem.CodeOf(err))
					require.Zero(t, usage(t, s, "2026-11").Reserved, "nothing is held for a refusal")
					return
				}
				require.NoError(t, err)
				require.WithinDuration(t, tt.goes, p.ScheduledAt, 0)
			})
		})
	}
}

func TestRejectedPostAsksAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := review(t, s, ask(t, s, newMember(t, s, "ada"), november.Add(time.Hour)), rejected)
		require.Equal(t, post.StatusDraft, p.Status)
		require.Equal(t, "too loud", p.ReviewReason)
		_, err := s.Posts.ReviewPost(t.Context(), p.ID, approved, november)
		require.Equal(t, problem.ReviewClosed, problem.CodeOf(err), "nobody asks")

		p, err = s.Posts.ChangePost(t.Context(), p.ID, post.Change{Schedule: true, Gated: true}, november)
		require.NoError(t, err)
		require.Equal(t, post.ReviewAsked, p.Review)
		require.Equal(t, post.StatusDraft, p.Status)
	})
}

func TestAcceptedSuggestionIsScheduledAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := review(t, s, ask(t, s, newMember(t, s, "ada"), november.Add(time.Hour)), suggested)
		seen := p.Version
		p, err := s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &suggested.Suggestion, Schedule: true, Gated: true, Version: &seen}, november)
		require.NoError(t, err)
		require.Equal(t, post.StatusScheduled, p.Status)
		require.Equal(t, post.ReviewApproved, p.Review)
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)

		other := "louder"
		p, err = s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &other}, november)
		require.NoError(t, err)
		require.Equal(t, post.ReviewNone, p.Review, "nobody approved these words")
	})
}

func TestDecisionAboutWhatSomebodyChangedIsAConflict(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := ask(t, s, newMember(t, s, "ada"), november.Add(time.Hour))
		seen, text := p.Version, "other words"
		_, err := s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &text, Gated: true}, november)
		require.NoError(t, err)
		d := approved
		d.Version = &seen
		_, err = s.Posts.ReviewPost(t.Context(), p.ID, d, november)
		require.Equal(t, problem.Conflict, problem.CodeOf(err))

		now := seen + 1
		d.Version = &now
		for range 2 { // asked again because its answer was lost
			p, err = s.Posts.ReviewPost(t.Context(), p.ID, d, november)
			require.NoError(t, err)
			require.Equal(t, seen+2, p.Version)
		}
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved)
	})
}

func TestApprovalNeedsWhatAnyPostNeeds(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		p := ask(t, s, ada, november.Add(time.Hour))
		require.NoError(t, s.Exec(`INSERT INTO quota_months (month, opened_at) VALUES ('2026-11', ?)`, november))
		_, err := s.Posts.ReviewPost(t.Context(), p.ID, approved, november)
		require.Equal(t, problem.QuotaExhausted, problem.CodeOf(err), "no slot was made for the month")
		p, err = s.Posts.Post(t.Context(), p.ID)
		require.NoError(t, err)
		require.Equal(t, post.ReviewAsked, p.Review, "it can be approved later")
	})
}

// e-mails gives the facts of the e-mails of a kind that wait, by address.
func letters(t *testing.T, s *store.DB, kind email.Kind) map[string][]map[string]string {
	t.Helper()
	waiting, err := s.Emails.WaitingLetters(t.Context(), true)
	require.NoError(t, err)
	found := map[string][]map[string]string{}
	for _, l := range waiting {
		if l.Kind == kind {
			_, content, err := s.Emails.Letter(t.Context(), l.ID)
			require.NoError(t, err)
			found[content.To] = append(found[content.To], content.Facts)
		}
	}
	return found
}

func TestReviewsAreToldToThoseWhomTheyConcern(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := concerned(t, s)
		p := ask(t, s, ada, november.Add(time.Hour))
		ask(t, s, ada, november.Add(time.Hour)) // within the hour: the first letter leads to it
		asked := letters(t, s, email.ReviewAsked)
		require.Equal(t, map[string][]map[string]string{
			"grace@example.com": {{"Member": "@ada", "Excerpt": p.Text}},
		}, asked)

		review(t, s, p, suggested)
		review(t, s, p, rejected)
		done := letters(t, s, email.ReviewDone)
		require.ElementsMatch(t, []map[string]string{
			{"Excerpt": p.Text, "Decision": "suggested", "Reason": "so", "Suggestion": "quietly"},
			{"Excerpt": p.Text, "Decision": "rejected", "Reason": "too loud", "Suggestion": ""},
		}, done["ada@example.com"])
		require.Len(t, done, 1)
	})
}

func TestListOfReviewsIsTheOldestFirst(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		first, second := ask(t, s, ada, november.Add(2*time.Hour)), ask(t, s, ada, november.Add(time.Hour))
		gone := ask(t, s, ada, november)
		_, err := s.Posts.CancelPost(t.Context(), gone.ID, november)
		require.NoError(t, err)
		found, total, err := s.Posts.Posts(t.Context(), post.Filter{Reviews: []post.Review{post.ReviewAsked}, Limit: 10})
		require.NoError(t, err)
		require.Equal(t, 2, total, "what was given up waits no more")
		require.Equal(t, []string{first.ID, second.ID}, []string{found[0].ID, found[1].ID})
	})
}
