package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/deletion"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// departs asks for an account to be deleted.
func departs(t *testing.T, s *store.DB, accountID string) deletion.Departure {
	t.Helper()
	d, err := s.Deletions.RequestDeparture(t.Context(), accountID, xid.New().String(), november)
	require.NoError(t, err)
	return d
}

// erased ends a departure.
func erased(t *testing.T, s *store.DB, d deletion.Departure) deletion.Departure {
	t.Helper()
	_, err := s.Deletions.BeginDeparture(t.Context(), d.ID, "departure:"+d.ID, "run")
	require.NoError(t, err)
	ended, err := s.Deletions.EraseMember(t.Context(), d.ID, false, november.Add(generation.Patience))
	require.NoError(t, err)
	require.True(t, ended.Ended())
	return ended
}

func loginWith(t *testing.T, s *store.DB, accountID string) (token string, err error) {
	t.Helper()
	token = account.NewToken()
	_, err = s.Accounts.OpenSession(t.Context(), account.NewSession{AccountID: accountID, Token: token, Provider: account.ByEmail}, november)
	return token, err
}

// Proves: V7.4.2
func TestWhoLeavesIsLoggedOutAndStaysSo(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada, token := welcomed(t, s, "ada", "ada@example.com")
		eve, _ := welcomed(t, s, "eve", "eve@example.com")
		hers, err := loginWith(t, s, ada.ID)
		require.NoError(t, err)
		others, err := loginWith(t, s, eve.ID)
		require.NoError(t, err)
		issue(t, s, "ada", &ada, right, november)

		d := departs(t, s, ada.ID)
		require.Equal(t, deletion.Requested, d.Stage)
		require.Equal(t, ada.MemberID, d.MemberID)
		gone, err := s.Accounts.Login(t.Context(), hers, november)
		require.NoError(t, err)
		require.Nil(t, gone)
		_, err = loginWith(t, s, ada.ID)
		require.Equal(t, problem.Forbidden, problem.CodeOf(err), "with X, or by any way that is yet to come")
		require.Equal(t, problem.Forbidden, problem.CodeOf(guess(t, s, "ada", right, november)), "with a code that came before")
		issue(t, s, "ada", &ada, right, november)
		require.Equal(t, problem.Forbidden, problem.CodeOf(guess(t, s, "ada", right, november)), "with a code that was asked for meanwhile")
		_, err = claim(t, s, token, november)
		require.Equal(t, problem.Forbidden, problem.CodeOf(err), "with the welcome's link")

		stays, err := s.Accounts.Login(t.Context(), others, november)
		require.NoError(t, err)
		require.True(t, stays.MemberActive)
		m, err := s.Members.Account(t.Context(), *ada.MemberID, "2026-11")
		require.NoError(t, err)
		require.Equal(t, member.StatusRemoved, m.Status)
	})
}

// A login that is under way when somebody asks to leave is waited for, and ended.
// Proves: F36, V7.4.2
func TestNoLoginSlipsThrough(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada, _ := welcomed(t, s, "ada", "ada@example.com")
		atOnce(t, 40, func(i int) error {
			if i == 20 {
				_, err := s.Deletions.RequestDeparture(t.Context(), ada.ID, "d", november)
				return err
			}
			_, err := loginWith(t, s, ada.ID)
			return err
		}, problem.Forbidden)
		require.Zero(t, s.Count(t, "sessions"))
	})
}

func TestAskedAgainItIsTheSameDeparture(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		first := departs(t, s, ada.ID)
		again, err := s.Deletions.RequestDeparture(t.Context(), ada.ID, "another", november.Add(time.Minute))
		require.NoError(t, err)
		require.Equal(t, first.ID, again.ID)
		open, err := s.Deletions.OpenDepartures(t.Context())
		require.NoError(t, err)
		require.Len(t, open, 1)

		begun, err := s.Deletions.BeginDeparture(t.Context(), first.ID, "departure:x", "run")
		require.NoError(t, err)
		require.Equal(t, deletion.Leaving, begun.Stage)
		require.Equal(t, "run", begun.RunID)
		erased(t, s, first)
		ended, err := s.Deletions.BeginDeparture(t.Context(), first.ID, "departure:x", "another run")
		require.NoError(t, err)
		require.Equal(t, "run", ended.RunID, "what has ended stays as it is")
		open, err = s.Deletions.OpenDepartures(t.Context())
		require.NoError(t, err)
		require.Empty(t, open)
		_, err = s.Deletions.RequestDeparture(t.Context(), ada.ID, "third", november)
		require.Equal(t, problem.NotFound, problem.CodeOf(err))
		_, err = s.Deletions.Departure(t.Context(), "nothing")
		require.Equal(t, problem.NotFound, problem.CodeOf(err))
	})
}

func TestWhatRunsCarryIsListedAndHoldsTheErasure(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		connectionID := storetest.Connection(t, s)
		ada, _ := welcomed(t, s, "ada", "ada@example.com")
		eve := newMember(t, s, "eve")
		waits := create(t, s, ada.MemberID, november.Add(time.Hour))
		flies := create(t, s, ada.MemberID, november)
		_, err := s.Posts.ArmPost(t.Context(), flies.ID, 1, connectionID, november)
		require.NoError(t, err)
		create(t, s, eve, november)
		kept := draft(ada.MemberID, november)
		kept.Status = post.StatusDraft
		_, err = s.Posts.CreatePost(t.Context(), kept, november)
		require.NoError(t, err)

		d := departs(t, s, ada.ID)
		require.Equal(t, []string{flies.ID, waits.ID}, postIDs(t, s, d), "a draft has no run, and eve stays")
		held, err := s.Deletions.EraseMember(t.Context(), d.ID, false, november)
		require.NoError(t, err)
		require.False(t, held.Ended())
		require.Contains(t, s.Dump(t, "accounts"), "ada@example.com", "nothing is erased yet")

		_, err = s.Posts.CancelPost(t.Context(), waits.ID, november)
		require.NoError(t, err)
		require.Equal(t, []string{flies.ID}, postIDs(t, s, d))
		_, err = s.Posts.ConcludePost(t.Context(), flies.ID, post.Verdict{Attempt: 1, Outcome: post.OutcomePublished, TweetID: "1", At: november}, november)
		require.NoError(t, err)
		require.Empty(t, postIDs(t, s, d))
		require.Equal(t, 1, erased(t, s, d).Posts)
	})
}

// What cannot be given up for hours does not hold anybody: what may be on X stays as it is.
func TestForcedItErasesAllTheSame(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		connectionID := storetest.Connection(t, s)
		ada, _ := welcomed(t, s, "ada", "ada@example.com")
		waits, lost := create(t, s, ada.MemberID, november.Add(time.Hour)), create(t, s, ada.MemberID, november)
		_, err := s.Posts.ArmPost(t.Context(), lost.ID, 1, connectionID, november)
		require.NoError(t, err)
		_, err = s.Posts.DoubtPost(t.Context(), lost.ID, 1, "x_unreadable", "Nobody knows.")
		require.NoError(t, err)
		d := departs(t, s, ada.ID)
		ended, err := s.Deletions.EraseMember(t.Context(), d.ID, true, november)
		require.NoError(t, err)
		require.True(t, ended.Ended())

		given, err := s.Posts.Post(t.Context(), waits.ID)
		require.NoError(t, err)
		require.Equal(t, post.StatusCancelled, given.Status)
		require.Equal(t, deletion.Blank, given.Text)
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved, "its slot is free again")
		unknown, err := s.Posts.Post(t.Context(), lost.ID)
		require.NoError(t, err)
		require.Equal(t, post.StatusUnknown, unknown.Status)
		require.Equal(t, lost.Text, unknown.Text, "without it nobody could find it on X")
		_, err = s.Posts.FindPost(t.Context(), lost.ID, post.Verdict{Outcome: post.OutcomePublished, TweetID: "1", At: november}, november)
		require.NoError(t, err, "and a founder can still decide")
	})
}

// What a model was asked is written down with its answer, which would be after all the rest.
func TestAModelThatStillWritesHoldsTheErasure(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada, _ := welcomed(t, s, "ada", "ada@example.com")
		asked(t, s, "g1", &ada.ID, "model-a")
		d := departs(t, s, ada.ID)
		held, err := s.Deletions.EraseMember(t.Context(), d.ID, false, november.Add(generation.Patience-time.Second))
		require.NoError(t, err)
		require.False(t, held.Ended())
		erased(t, s, d)
	})
}

func postIDs(t *testing.T, s *store.DB, d deletion.Departure) (ids []string) {
	t.Helper()
	posts, err := s.Deletions.DepartingPosts(t.Context(), d.ID, 10)
	require.NoError(t, err)
	for _, p := range posts {
		ids = append(ids, p.ID)
	}
	return ids
}

func TestTheirSeriesAreListedAlsoWhenTheyWereJustEnded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada, _ := welcomed(t, s, "ada", "ada@example.com")
		hers, others := newSeries(t, s, daily(ada.MemberID)), newSeries(t, s, daily(newMember(t, s, "eve")))
		first := next(t, s, hers)
		d, err := s.Deletions.RequestDeparture(t.Context(), ada.ID, "d", time.Now().Add(-time.Second)) // rows say themselves when they change
		require.NoError(t, err)
		for range 2 { // the second time as after a crash
			theirs, err := s.Deletions.DepartingSeries(t.Context(), d.ID)
			require.NoError(t, err)
			require.Len(t, theirs, 1)
			require.Equal(t, hers.ID, theirs[0].ID)
			_, _, err = s.RecurringPosts.EndSeries(t.Context(), hers.ID, dayBefore)
			require.NoError(t, err)
			given, err := s.Deletions.GivenUpOf(t.Context(), hers.ID, d.RequestedAt)
			require.NoError(t, err)
			require.Len(t, given, 1)
			require.Equal(t, first.ID, given[0].ID)
		}
		ended := erased(t, s, d)
		require.Equal(t, 1, ended.Series)
		require.Equal(t, 1, ended.Posts)
		goesOn, err := s.RecurringPosts.Series(t.Context(), others.ID)
		require.NoError(t, err)
		require.Equal(t, others.Texts, goesOn.Texts)
	})
}

func TestExportHoldsWhatIsStoredAndNoSecret(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		l := lived(t, s)
		create(t, s, l.eve, november)
		file, err := s.Deletions.ExportAccount(t.Context(), l.ada.ID, november)
		require.NoError(t, err)
		require.Equal(t, adaAddress, *file.Account.Email)
		require.Equal(t, adaName, file.Account.LoggedInAs)
		require.Equal(t, adaName, file.Membership.Username)
		require.Len(t, file.Sessions, 1)
		require.Len(t, file.Posts, 6, "five and the one of the series; not eve's")
		require.Len(t, file.Series, 1)
		require.Len(t, file.Timetable, 1)
		require.Len(t, file.Generations, 2)
		require.Len(t, file.Experiments, 2)
		require.Len(t, file.Votes, 2)
		require.Len(t, file.Onboarding, 1)
		require.Len(t, file.Receipts, 1)
		require.Equal(t, 765, file.Receipts[0].FinalCents)
		require.Equal(t, 2, file.Receipts[0].Visits)
		require.Equal(t, 90, file.Credits[0].Delta)
		require.NotEmpty(t, file.Letters)
		require.Len(t, file.Audit, 1)
		require.Equal(t, november, file.Posts[0].ScheduledAt.UTC())

		text, err := json.Marshal(file)
		require.NoError(t, err)
		require.Contains(t, string(text), `"texts":["`+adaSaid)
		for _, secret := range []string{"hash", "Hash", "secret_id", "secretId", "mark", "Mark", l.visitor} {
			require.NotContains(t, string(text), secret)
		}
	})
}

func TestExportOfAnAccountWithoutAMembership(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		create(t, s, nil, november)
		ada := stranger(t, s)
		file, err := s.Deletions.ExportAccount(t.Context(), ada.ID, november)
		require.NoError(t, err)
		require.Nil(t, file.Membership)
		require.Empty(t, file.Posts, "the founders' are nobody's own")
	})
}
