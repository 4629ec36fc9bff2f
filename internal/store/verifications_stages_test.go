package store_test

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/model"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func TestAVerificationGoesForwardOnly(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		asked := askLook(t, s, "k", november)
		for _, run := range []string{"first", "second"} {
			r, err := s.Verifications.BeginVerification(t.Context(), asked.ID, "verification:"+asked.ID, run)
			require.NoError(t, err)
			require.Equal(t, []any{verification.Looking, "verification:" + asked.ID, run}, []any{r.Stage, r.WorkflowID, r.RunID})
			require.Equal(t, r, lookNow(t, s, asked.ID))
		}
		for _, move := range []struct{ to, want verification.Stage }{
			{verification.Requested, verification.Looking},
			{verification.Looking, verification.Looking},
			{verification.Commenting, verification.Commenting},
			{verification.Comparing, verification.Commenting},
		} {
			require.NoError(t, s.Verifications.MoveVerification(t.Context(), asked.ID, move.to))
			require.Equal(t, move.want, lookNow(t, s, asked.ID).Stage, "moved to %s", move.to)
		}
		r, err := s.Verifications.BeginVerification(t.Context(), asked.ID, "w", "third")
		require.NoError(t, err)
		require.Equal(t, verification.Commenting, r.Stage, "a run that begins again has come as far as it had")
		require.Error(t, s.Verifications.MoveVerification(t.Context(), asked.ID, verification.Ended), "it does not end without a verdict")
		require.Error(t, s.Verifications.MoveVerification(t.Context(), asked.ID, "thinking"))
	})
}

func TestTheFirstCommentStays(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := askLook(t, s, "k", november)
		c := verification.Comment{
			By: "openai:gpt", Text: "Fine.\x00 “Ok”", Doubts: true, Trouble: "slow",
			Criteria: []verification.Criterion{{Text: "blue?", Verdict: verification.CriterionFail, Why: "it is red"}},
		}
		call, nobody := "c1", "nobody"
		require.Error(t, s.Verifications.CommentVerification(t.Context(), r.ID, c, &nobody), "there is no such call")
		require.Nil(t, lookNow(t, s, r.ID).Comment)

		require.NoError(t, s.ModelCalls.SaveCall(t.Context(), model.Call{ID: call, Task: "verification", Outcome: model.Answered, CreatedAt: november}))
		require.NoError(t, s.Verifications.CommentVerification(t.Context(), r.ID, c, &call))
		require.NoError(t, s.Verifications.CommentVerification(t.Context(), r.ID, verification.Comment{By: verification.BuiltIn}, nil))
		endLook(t, s, r.ID, november)
		got := lookNow(t, s, r.ID)
		require.Equal(t, &c, got.Comment)
		require.Equal(t, &call, got.CallID)
	})
}

func TestTheFirstEndOfAVerificationStays(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		asked := askLook(t, s, "k", november)
		want := verification.Outcome{
			Checked: verification.Active, Verdict: verification.Warning, Reason: "It doubts.", Code: "page_slow",
			Checks: []verification.Check{
				{Kind: verification.CheckPage, Subject: "light wide", State: verification.Pass, Message: "It opened."},
				{Kind: verification.CheckAxe, Subject: "light wide", State: verification.Fail, Message: "No.", Details: []string{"a", "b"}},
				{Kind: verification.CheckLook, Subject: "light wide", State: verification.Skip, Message: "Nothing is approved."},
				{Kind: verification.CheckLook, Subject: "dark wide", State: verification.Pass, Message: "As approved."},
			},
		}
		at := november.Add(8*time.Second + 999*time.Nanosecond)
		first, err := s.Verifications.EndVerification(t.Context(), asked.ID, want, true, at)
		require.NoError(t, err)
		again, err := s.Verifications.EndVerification(t.Context(), asked.ID, outcome(verification.Broken), true, at.Add(time.Hour))
		require.NoError(t, err)
		for _, r := range []verification.Run{first, again, lookNow(t, s, asked.ID)} {
			require.Equal(t, want, verification.Outcome{Checked: r.Checked, Verdict: r.Verdict, Reason: r.Reason, Code: r.Code, Checks: r.Checks})
			require.Equal(t, []int{2, 1}, []int{r.Passed, r.Failed}, "what was skipped counts for neither")
			require.Equal(t, verification.Ended, r.Stage)
			require.Nil(t, r.OpenKey)
			require.Equal(t, november.Add(8*time.Second), r.EndedAt.UTC())
		}

		// Whoever comes late changes nothing, and need not mind.
		ended := lookNow(t, s, asked.ID)
		r, err := s.Verifications.BeginVerification(t.Context(), asked.ID, "late", "late")
		require.NoError(t, err)
		require.Equal(t, ended, r)
		require.NoError(t, s.Verifications.MoveVerification(t.Context(), asked.ID, verification.Commenting))
		require.NoError(t, s.Verifications.CommentVerification(t.Context(), asked.ID, verification.Comment{By: verification.BuiltIn}, nil))
		require.Equal(t, ended, lookNow(t, s, asked.ID))
		askLook(t, s, "k", november)
	})
}

func TestAVerificationThatIsNotThereIsNotFound(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		_, err := s.Verifications.Verification(t.Context(), "nobody")
		require.EqualError(t, err, "There is no such verification.")
		_, began := s.Verifications.BeginVerification(t.Context(), "nobody", "w", "r")
		_, ended := s.Verifications.EndVerification(t.Context(), "nobody", outcome(verification.Active), true, november)
		for _, err := range []error{
			err, began, ended,
			s.Verifications.MoveVerification(t.Context(), "nobody", verification.Looking),
			s.Verifications.CommentVerification(t.Context(), "nobody", verification.Comment{}, nil),
			s.Verifications.SaveShot(t.Context(), newShot("nobody", verification.Light, "wide")),
			s.Verifications.CompareShot(t.Context(), newShot("nobody", verification.Light, "wide")),
			s.Verifications.ApproveLook(t.Context(), []verification.Baseline{newBaseline("b", "nobody", verification.Light, november)}),
		} {
			require.Equal(t, problem.NotFound, problem.CodeOf(err))
		}
		require.Zero(t, s.Count(t, "verification_days"))
	})
}

func TestAnEndWithoutChecksIsKeptAsOne(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ended := endLook(t, s, askLook(t, s, "k", november).ID, november)
		for _, r := range []verification.Run{ended, lookNow(t, s, ended.ID)} {
			require.Equal(t, []verification.Check{}, r.Checks)
			require.Zero(t, r.Passed+r.Failed)
			require.Nil(t, r.Comment)
		}
		require.Equal(t, 1, s.Number(t, "SELECT count(*) FROM verifications WHERE checks = '[]' AND comment IS NULL"))
	})
}

func TestRunsOfTheFrontPageAreCountedByDay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		day := time.Date(2026, 11, 20, 23, 30, 0, 0, time.UTC)
		west := time.FixedZone("west", -5*3600)
		doubted := verification.Outcome{Checked: verification.Active, Verdict: verification.Warning}
		for _, run := range []struct {
			by    verification.Asker
			o     verification.Outcome
			front bool
			at    time.Time
		}{
			{verification.Schedule, doubted, true, day},
			{verification.Visitors, doubted, true, day},
			{verification.Members, doubted, true, day},
			{verification.Founders, doubted, true, day},
			{verification.Founders, outcome(verification.Broken), true, day},
			{verification.Visitors, outcome(verification.Broken), false, day},
			{verification.Schedule, outcome(verification.Active), true, day.Add(30 * time.Minute).In(west)},
			{verification.Schedule, outcome(verification.Active), true, day.Add(48 * time.Hour)},
		} {
			r := newLook(run.by, "k", day)
			require.NoError(t, s.Verifications.RequestVerification(t.Context(), r, ""))
			for range 2 {
				_, err := s.Verifications.EndVerification(t.Context(), r.ID, run.o, run.front, run.at)
				require.NoError(t, err)
			}
		}
		days, err := s.Verifications.VerificationDays(t.Context(), "2026-11-20")
		require.NoError(t, err)
		require.Equal(t, []verification.Day{
			{Day: "2026-11-20", Active: 3, Warning: 1, Broken: 1}, // nobody's question says anything of the site
			{Day: "2026-11-21", Active: 1},
			{Day: "2026-11-22", Active: 1},
		}, days)
		days, err = s.Verifications.VerificationDays(t.Context(), "2026-11-22")
		require.NoError(t, err)
		require.Len(t, days, 1)
	})
}

func TestEndsAtOnceAreCountedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		const runs = 15
		start := make(chan struct{})
		var all sync.WaitGroup
		for i := range runs {
			r := askLook(t, s, strconv.Itoa(i), november)
			for range 4 {
				all.Go(func() {
					<-start
					if _, err := s.Verifications.EndVerification(t.Context(), r.ID, outcome(verification.Broken), true, november); err != nil {
						t.Error(err)
					}
				})
			}
		}
		close(start)
		all.Wait()
		require.Equal(t, runs, s.Number(t, "SELECT sum(broken) FROM verification_days"))
	})
}

// A verdict that the database refuses leaves nothing behind: no end, and no day.
func TestAnEndThatCannotBeLeavesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := askLook(t, s, "k", november)
		raised := verification.Outcome{Checked: verification.Warning, Verdict: verification.Active}
		_, err := s.Verifications.EndVerification(t.Context(), r.ID, raised, true, november)
		require.Error(t, err)
		require.Zero(t, s.Count(t, "verification_days"))
		require.Equal(t, verification.Requested, lookNow(t, s, r.ID).Stage)
	})
}
