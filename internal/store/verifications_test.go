package store_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
	"customerzero/internal/store"
)

const frontPage = "https://example.com/"

func newVerification(by verification.Requester, key string, at time.Time) verification.Run {
	return verification.Run{ID: xid.New().String(), URL: frontPage, Path: "/", RequestedBy: by, OpenKey: &key, RequestedAt: at}
}

func requestRun(t *testing.T, s *store.DB, key string, at time.Time) verification.Run {
	t.Helper()
	r := newVerification(verification.Founders, key, at)
	require.NoError(t, s.Verifications.RequestVerification(t.Context(), r, account.Asker{Founder: true}))
	return r
}

func outcome(v verification.Verdict) verification.Outcome {
	return verification.Outcome{ChecksVerdict: v, Verdict: v, Reason: "so"}
}

func endVerification(t *testing.T, s *store.DB, id string, at time.Time) {
	t.Helper()
	must(s.Verifications.EndVerification(t.Context(), id, outcome(verification.Active), false, at))(t)
}

func verificationNow(t *testing.T, s *store.DB, id string) verification.Run {
	t.Helper()
	return must(s.Verifications.Verification(t.Context(), id))(t)
}

func TestVerificationLimits(t *testing.T) {
	t.Parallel()
	each(t, "many requests at once are one run", func(t *testing.T, s *store.DB) {
		request := func(int) error {
			return s.Verifications.RequestVerification(t.Context(), newVerification(verification.Visitors, "visitor:ada", november), asker("ada"))
		}
		require.Equal(t, 1, atOnce(t, 50, request, problem.VerificationRunning))
		require.Equal(t, 1, s.Count(t, "verifications"))
		require.Equal(t, 3, s.Number(t, "SELECT sum(used) FROM rate_windows"), "refusals use nothing up")
		require.EqualError(t, request(0), "You already have a verification running. Wait until it has ended, then start another.")
		requestRun(t, s, "visitor:eve", november)
	})
	each(t, "a repeated request changes nothing", func(t *testing.T, s *store.DB) {
		r := newVerification(verification.Visitors, "visitor:ada", november.Add(123*time.Nanosecond))
		r.Prompt = "Is it “blue”?"
		require.NoError(t, s.Verifications.RequestVerification(t.Context(), r, asker("ada")))
		written := verificationNow(t, s, r.ID)
		require.Equal(t, []any{verification.Requested, r.Prompt, november}, []any{written.Stage, written.Prompt, written.RequestedAt.UTC()})
		require.Equal(t, []verification.Check{}, written.Checks)
		require.Nil(t, written.Comment)
		require.NoError(t, s.Verifications.RequestVerification(t.Context(), r, asker("ada")))
		endVerification(t, s, r.ID, november)
		require.NoError(t, s.Verifications.RequestVerification(t.Context(), r, asker("ada")), "also when it has ended")
		require.Equal(t, verification.Ended, verificationNow(t, s, r.ID).Stage)
		require.Equal(t, 3, s.Number(t, "SELECT sum(used) FROM rate_windows"), "it is counted once")
	})
}

// putVerification stores a run that ended minutes later.
func putVerification(t *testing.T, s *store.DB, id string, minutes int, alter func(*verification.Run)) {
	t.Helper()
	r := newVerification(verification.Visitors, "somebody", november.Add(time.Duration(minutes)*time.Minute))
	ended := r.RequestedAt.Add(time.Minute)
	r.ID, r.OpenKey, r.Stage, r.EndedAt, r.Checks = id, nil, verification.Ended, &ended, []verification.Check{}
	r.ChecksVerdict, r.Verdict = verification.Active, verification.Active
	if alter != nil {
		alter(&r)
	}
	require.NoError(t, s.Put(t, &r))
}

func TestVerificationLists(t *testing.T) {
	t.Parallel()
	each(t, "runs are listed newest first", func(t *testing.T, s *store.DB) {
		putVerification(t, s, "a", 1, nil)
		putVerification(t, s, "d", 3, nil)
		putVerification(t, s, "c", 3, nil)
		putVerification(t, s, "b", 2, nil)
		open := newVerification(verification.Visitors, "k", november.Add(150*time.Second))
		open.ID = "open"
		require.NoError(t, s.Verifications.RequestVerification(t.Context(), open, account.Asker{Founder: true}))
		runs, total := must2(s.Verifications.Verifications(t.Context(), 4, 1))(t)
		require.Equal(t, []any{[]string{"c", "open", "b", "a"}, 5}, []any{idsOf(runs), total})
	})
	each(t, "open runs are found", func(t *testing.T, s *store.DB) {
		putVerification(t, s, "ended", 1, nil)
		require.Nil(t, must(s.Verifications.OpenVerification(t.Context(), "visitor:ada"))(t))
		middle := requestRun(t, s, "visitor:ada", november.Add(time.Minute))
		early := requestRun(t, s, verification.BySchedule, november)
		late := requestRun(t, s, "account:2", november.Add(2*time.Minute))
		ended := requestRun(t, s, "account:1", november)
		endVerification(t, s, ended.ID, november)
		require.Equal(t, []string{early.ID, middle.ID, late.ID}, idsOf(must(s.Verifications.OpenVerifications(t.Context()))(t)), "the oldest first")
		require.Equal(t, middle.ID, must(s.Verifications.OpenVerification(t.Context(), "visitor:ada"))(t).ID)
		require.Nil(t, must(s.Verifications.OpenVerification(t.Context(), "account:1"))(t))
	})
	each(t, "the last runs of a page", func(t *testing.T, s *store.DB) {
		slow := november.Add(time.Hour)
		putVerification(t, s, "slow", 1, func(r *verification.Run) { r.EndedAt = &slow })
		putVerification(t, s, "b", 2, nil)
		putVerification(t, s, "c", 2, nil)
		putVerification(t, s, "d", 3, nil)
		putVerification(t, s, "another page", 4, func(r *verification.Run) { r.URL = frontPage + "?x" })
		requestRun(t, s, "open", november.Add(2*time.Hour))
		runs := must(s.Verifications.LastVerifications(t.Context(), frontPage, 3))(t)
		require.Equal(t, []string{"slow", "d", "c"}, idsOf(runs), "in order of their ends")
		require.Equal(t, []string{"slow", "d", "c", "b"}, idsOf(must(s.Verifications.LastVerifications(t.Context(), frontPage, 10))(t)))
		require.Empty(t, must(s.Verifications.LastVerifications(t.Context(), "https://example.com", 10))(t), "exactly that URL")
	})
	each(t, "runs of the front page are counted by day", func(t *testing.T, s *store.DB) {
		day := time.Date(2026, 11, 20, 23, 30, 0, 0, time.UTC)
		west := time.FixedZone("west", -5*3600)
		doubted := verification.Outcome{ChecksVerdict: verification.Active, Verdict: verification.Warning}
		for _, run := range []struct {
			by    verification.Requester
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
			r := newVerification(run.by, "k", day)
			require.NoError(t, s.Verifications.RequestVerification(t.Context(), r, account.Asker{Founder: true}))
			for range 2 {
				must(s.Verifications.EndVerification(t.Context(), r.ID, run.o, run.front, run.at))(t)
			}
		}
		days := must(s.Verifications.VerificationDays(t.Context(), "2026-11-20"))(t)
		require.Equal(t, []verification.Day{
			{Day: "2026-11-20", Active: 3, Warning: 1, Broken: 1}, // a user's check of another page does not affect the site's status
			{Day: "2026-11-21", Active: 1},
			{Day: "2026-11-22", Active: 1},
		}, days)
		require.Len(t, must(s.Verifications.VerificationDays(t.Context(), "2026-11-22"))(t), 1)
	})
}

func TestVerifications(t *testing.T) {
	t.Parallel()
	each(t, "a run goes forward only", func(t *testing.T, s *store.DB) {
		asked := requestRun(t, s, "k", november)
		for _, run := range []string{"first", "second"} {
			r := must(s.Verifications.BeginVerification(t.Context(), asked.ID, "verification:"+asked.ID, run))(t)
			require.Equal(t, []any{verification.Capturing, "verification:" + asked.ID, run}, []any{r.Stage, r.WorkflowID, r.RunID})
			require.Equal(t, r, verificationNow(t, s, asked.ID))
		}
		for _, move := range []struct{ to, want verification.Stage }{
			{verification.Requested, verification.Capturing},
			{verification.Capturing, verification.Capturing},
			{verification.Reviewing, verification.Reviewing},
			{verification.Comparing, verification.Reviewing},
		} {
			require.NoError(t, s.Verifications.MoveVerification(t.Context(), asked.ID, move.to))
			require.Equal(t, move.want, verificationNow(t, s, asked.ID).Stage, "moved to %s", move.to)
		}
		r := must(s.Verifications.BeginVerification(t.Context(), asked.ID, "w", "third"))(t)
		require.Equal(t, verification.Reviewing, r.Stage, "a run that begins again has come as far as it had")
		require.Error(t, s.Verifications.MoveVerification(t.Context(), asked.ID, verification.Ended), "it does not end without a verdict")
		require.Error(t, s.Verifications.MoveVerification(t.Context(), asked.ID, "thinking"))
	})
	each(t, "the first review stays", func(t *testing.T, s *store.DB) {
		r := requestRun(t, s, "k", november)
		c := verification.Comment{
			By: "openai:gpt", Text: "Fine.\x00 “Ok”", Doubts: true, Trouble: "slow",
			Criteria: []verification.Criterion{{Text: "blue?", Verdict: verification.CriterionFail, Why: "it is red"}},
		}
		require.Error(t, s.Verifications.CommentVerification(t.Context(), r.ID, c, new("nobody")), "there is no such call")
		require.Nil(t, verificationNow(t, s, r.ID).Comment)
		require.NoError(t, s.ModelCalls.SaveCall(t.Context(), model.Call{ID: "c1", Task: "verification", Outcome: model.Answered, CreatedAt: november}))
		require.NoError(t, s.Verifications.CommentVerification(t.Context(), r.ID, c, new("c1")))
		require.NoError(t, s.Verifications.CommentVerification(t.Context(), r.ID, verification.Comment{By: verification.BuiltIn}, nil))
		endVerification(t, s, r.ID, november)
		got := verificationNow(t, s, r.ID)
		require.Equal(t, []any{c, "c1"}, []any{*got.Comment, *got.CallID})
	})
	each(t, "the first end stays", func(t *testing.T, s *store.DB) {
		asked := requestRun(t, s, "k", november)
		want := verification.Outcome{
			ChecksVerdict: verification.Active, Verdict: verification.Warning, Reason: "It doubts.", Code: "page_slow",
			Checks: []verification.Check{
				{Kind: verification.CheckPage, Subject: "light wide", State: verification.Pass, Message: "It opened."},
				{Kind: verification.CheckAxe, Subject: "light wide", State: verification.Fail, Message: "No.", Details: []string{"a", "b"}},
				{Kind: verification.CheckBaseline, Subject: "light wide", State: verification.Skip, Message: "Nothing is approved."},
				{Kind: verification.CheckBaseline, Subject: "dark wide", State: verification.Pass, Message: "As approved."},
			},
		}
		at := november.Add(8*time.Second + 999*time.Nanosecond)
		first := must(s.Verifications.EndVerification(t.Context(), asked.ID, want, true, at))(t)
		again := must(s.Verifications.EndVerification(t.Context(), asked.ID, outcome(verification.Broken), true, at.Add(time.Hour)))(t)
		for _, r := range []verification.Run{first, again, verificationNow(t, s, asked.ID)} {
			require.Equal(t, want, verification.Outcome{ChecksVerdict: r.ChecksVerdict, Verdict: r.Verdict, Reason: r.Reason, Code: r.Code, Checks: r.Checks})
			require.Equal(t, []int{2, 1}, []int{r.Passed, r.Failed}, "what was skipped counts for neither")
			require.Equal(t, verification.Ended, r.Stage)
			require.Nil(t, r.OpenKey)
			require.Equal(t, november.Add(8*time.Second), r.EndedAt.UTC())
		}

		// A late call changes nothing and returns no error.
		ended := verificationNow(t, s, asked.ID)
		require.Equal(t, ended, must(s.Verifications.BeginVerification(t.Context(), asked.ID, "late", "late"))(t))
		require.NoError(t, s.Verifications.MoveVerification(t.Context(), asked.ID, verification.Reviewing))
		require.NoError(t, s.Verifications.CommentVerification(t.Context(), asked.ID, verification.Comment{By: verification.BuiltIn}, nil))
		require.Equal(t, ended, verificationNow(t, s, asked.ID))
		requestRun(t, s, "k", november)
	})
	each(t, "an unknown run is not found", func(t *testing.T, s *store.DB) {
		err := errOf(s.Verifications.Verification(t.Context(), "nobody"))
		require.EqualError(t, err, "There is no such verification.")
		requireCode(t, problem.NotFound, err,
			errOf(s.Verifications.EndVerification(t.Context(), "nobody", outcome(verification.Active), true, november)),
			s.Verifications.ApproveBaselines(t.Context(), []verification.Baseline{newBaseline("b", "nobody", verification.Light, november)}))
		require.Zero(t, s.Count(t, "verification_days"))
	})
	each(t, "ends at once are counted once", func(t *testing.T, s *store.DB) {
		const runs = 15
		var ids []string
		for i := range runs {
			ids = append(ids, requestRun(t, s, strconv.Itoa(i), november).ID)
		}
		require.Equal(t, 4*runs, atOnce(t, 4*runs, func(i int) error {
			return errOf(s.Verifications.EndVerification(t.Context(), ids[i/4], outcome(verification.Broken), true, november))
		}))
		require.Equal(t, runs, s.Number(t, "SELECT sum(broken) FROM verification_days"))
	})
	// A refused verdict changes neither the run nor the day.
	each(t, "an invalid end leaves nothing", func(t *testing.T, s *store.DB) {
		r := requestRun(t, s, "k", november)
		raised := verification.Outcome{ChecksVerdict: verification.Warning, Verdict: verification.Active}
		require.Error(t, errOf(s.Verifications.EndVerification(t.Context(), r.ID, raised, true, november)))
		require.Zero(t, s.Count(t, "verification_days"))
		require.Equal(t, verification.Requested, verificationNow(t, s, r.ID).Stage)
	})
}
