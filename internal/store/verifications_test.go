package store_test

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

const frontPage = "https://example.com/"

func newLook(by verification.Asker, key string, at time.Time) verification.Run {
	return verification.Run{
		ID: xid.New().String(), URL: frontPage, Path: "/", RequestedBy: by, OpenKey: &key, RequestedAt: at,
	}
}

// askLook asks for a run, which must begin.
func askLook(t *testing.T, s *store.DB, key string, at time.Time) verification.Run {
	t.Helper()
	r := newLook(verification.Founders, key, at)
	require.NoError(t, s.Verifications.RequestVerification(t.Context(), r, ""))
	return r
}

func outcome(v verification.Verdict) verification.Outcome {
	return verification.Outcome{Checked: v, Verdict: v, Reason: "so"}
}

func endLook(t *testing.T, s *store.DB, id string, at time.Time) verification.Run {
	t.Helper()
	r, err := s.Verifications.EndVerification(t.Context(), id, outcome(verification.Active), false, at)
	require.NoError(t, err)
	return r
}

func lookNow(t *testing.T, s *store.DB, id string) verification.Run {
	t.Helper()
	r, err := s.Verifications.Verification(t.Context(), id)
	require.NoError(t, err)
	return r
}

func TestAVisitorWhoAsksManyTimesAtOnceGetsOneLook(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		var began, refused atomic.Int32
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				err := s.Verifications.RequestVerification(t.Context(), newLook(verification.Visitors, "visitor:ada", november), "ada")
				switch {
				case err == nil:
					began.Add(1)
				case problem.CodeOf(err) == problem.VerificationRunning:
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		require.Equal(t, []int32{1, 49}, []int32{began.Load(), refused.Load()})
		require.Equal(t, 1, s.Count(t, "verifications"))
		require.Equal(t, 2, s.Number(t, "SELECT sum(used) FROM rate_windows"), "refusals use nothing up")

		err := s.Verifications.RequestVerification(t.Context(), newLook(verification.Visitors, "visitor:ada", november), "ada")
		require.EqualError(t, err, "A look of yours is under way. See it, and ask again when it has ended.")
		askLook(t, s, "visitor:eve", november)
	})
}

func TestVerificationLimitOfAVisitor(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ask := func(mark string, at time.Time) error {
			r := newLook(verification.Visitors, "visitor:"+mark, at)
			err := s.Verifications.RequestVerification(t.Context(), r, mark)
			if err == nil {
				endLook(t, s, r.ID, at)
			}
			return err
		}
		for range verification.PerVisitor.Most {
			require.NoError(t, ask("ada", november))
		}
		err := ask("ada", november.Add(time.Hour-time.Second))
		refused, ok := errors.AsType[*problem.Error](err)
		require.True(t, ok, err)
		require.Equal(t, problem.TooMany, refused.Code)
		require.WithinDuration(t, november.Add(time.Hour), refused.RetryAfter, 0)
		require.Equal(t, "Too many verifications from your network. Try again after "+november.Add(time.Hour).Format("15:04:05")+" UTC.", refused.Message)
		require.Equal(t, verification.PerVisitor.Most, s.Count(t, "verifications"), "what is refused is not written down")

		require.NoError(t, ask("eve", november), "another visitor has limits of their own")
		require.NoError(t, ask("ada", november.Add(time.Hour)))
	})
}

// Proves: V2.4.1-verifications, LLM06
func TestVerificationLimitOfEverybody(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for i := range verification.Overall.Most {
			by, visitor := verification.Visitors, "v"+strconv.Itoa(i)
			if i%2 == 0 {
				by, visitor = verification.Founders, "" // they count for everybody, though not for themselves
			}
			require.NoError(t, s.Verifications.RequestVerification(t.Context(), newLook(by, strconv.Itoa(i), november), visitor))
		}
		for _, by := range []verification.Asker{verification.Visitors, verification.Members, verification.Founders} {
			visitor := "last"
			if by == verification.Founders {
				visitor = ""
			}
			err := s.Verifications.RequestVerification(t.Context(), newLook(by, "last", november), visitor)
			require.Equal(t, problem.TooMany, problem.CodeOf(err), by)
			require.ErrorContains(t, err, "Too many verifications. Try again after")
		}
		require.Zero(t, s.Number(t, "SELECT count(*) FROM rate_windows WHERE bucket = 'verification-visitor:last'"), "a refusal uses nothing up")
		require.Equal(t, verification.Overall.Most, s.Count(t, "verifications"))
		require.NoError(t, s.Verifications.RequestVerification(t.Context(), newLook(verification.Schedule, verification.BySchedule, november), ""))
	})
}

func TestTheScheduleOfLooksCountsNowhere(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		first := newLook(verification.Schedule, verification.BySchedule, november)
		require.NoError(t, s.Verifications.RequestVerification(t.Context(), first, ""))
		require.Zero(t, s.Count(t, "rate_windows"))
		next := newLook(verification.Schedule, verification.BySchedule, november)
		require.Equal(t, problem.VerificationRunning, problem.CodeOf(s.Verifications.RequestVerification(t.Context(), next, "")), "its last one goes on")
		endLook(t, s, first.ID, november)
		require.NoError(t, s.Verifications.RequestVerification(t.Context(), next, ""))
	})
}

func TestAskingAgainForTheSameLookChangesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := newLook(verification.Visitors, "visitor:ada", november.Add(123*time.Nanosecond))
		r.Prompt = "Is it “blue”?"
		require.NoError(t, s.Verifications.RequestVerification(t.Context(), r, "ada"))
		written := lookNow(t, s, r.ID)
		require.Equal(t, verification.Requested, written.Stage)
		require.Equal(t, r.Prompt, written.Prompt)
		require.Equal(t, november, written.RequestedAt.UTC())
		require.Equal(t, []verification.Check{}, written.Checks)
		require.Nil(t, written.Comment)

		require.NoError(t, s.Verifications.RequestVerification(t.Context(), r, "ada"))
		endLook(t, s, r.ID, november)
		require.NoError(t, s.Verifications.RequestVerification(t.Context(), r, "ada"), "also when it has ended")
		require.Equal(t, verification.Ended, lookNow(t, s, r.ID).Stage)
		require.Equal(t, 2, s.Number(t, "SELECT sum(used) FROM rate_windows"), "it is counted once")
	})
}

// endedLook is a run that ended a minute after november.
func endedLook(id string, alter func(*verification.Run)) *verification.Run {
	ended := november.Add(time.Minute)
	r := newLook(verification.Visitors, "somebody", november)
	r.ID, r.OpenKey, r.Stage, r.EndedAt, r.Checks = id, nil, verification.Ended, &ended, []verification.Check{}
	r.Checked, r.Verdict = verification.Active, verification.Active
	if alter != nil {
		alter(&r)
	}
	return &r
}

// putLook stores a run that ended, minutes later.
func putLook(t *testing.T, s *store.DB, id string, minutes int, alter func(*verification.Run)) {
	t.Helper()
	r := endedLook(id, nil)
	later := time.Duration(minutes) * time.Minute
	ended := r.EndedAt.Add(later)
	r.RequestedAt, r.EndedAt = r.RequestedAt.Add(later), &ended
	if alter != nil {
		alter(r)
	}
	require.NoError(t, s.Put(t, r))
}

func lookIDs(runs []verification.Run) (ids []string) {
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	return ids
}

func TestVerificationsAreListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		putLook(t, s, "a", 1, nil)
		putLook(t, s, "d", 3, nil)
		putLook(t, s, "c", 3, nil)
		putLook(t, s, "b", 2, nil)
		open := newLook(verification.Visitors, "k", november.Add(150*time.Second))
		open.ID = "open"
		require.NoError(t, s.Verifications.RequestVerification(t.Context(), open, ""))
		for name, tt := range map[string]struct {
			limit, offset int
			want          []string
		}{
			"all, the newest first": {10, 0, []string{"d", "c", "open", "b", "a"}},
			"a page of them":        {2, 1, []string{"c", "open"}},
			"none":                  {10, 5, nil},
		} {
			runs, total, err := s.Verifications.Verifications(t.Context(), tt.limit, tt.offset)
			require.NoError(t, err, name)
			require.Equal(t, tt.want, lookIDs(runs), name)
			require.Equal(t, 5, total, name)
		}
	})
}

func TestVerificationsUnderWayAreFound(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		putLook(t, s, "ended", 1, nil)
		none, err := s.Verifications.OpenVerification(t.Context(), "visitor:ada")
		require.NoError(t, err)
		require.Nil(t, none)
		middle := askLook(t, s, "visitor:ada", november.Add(time.Minute))
		early := askLook(t, s, verification.BySchedule, november)
		late := askLook(t, s, "account:2", november.Add(2*time.Minute))
		ended := askLook(t, s, "account:1", november)
		endLook(t, s, ended.ID, november)

		runs, err := s.Verifications.OpenVerifications(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{early.ID, middle.ID, late.ID}, lookIDs(runs), "the oldest first")
		found, err := s.Verifications.OpenVerification(t.Context(), "visitor:ada")
		require.NoError(t, err)
		require.Equal(t, middle.ID, found.ID)
		gone, err := s.Verifications.OpenVerification(t.Context(), "account:1")
		require.NoError(t, err)
		require.Nil(t, gone)
	})
}

func TestTheLastVerificationsOfAPage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		slow := november.Add(time.Hour)
		putLook(t, s, "slow", 1, func(r *verification.Run) { r.EndedAt = &slow })
		putLook(t, s, "b", 2, nil)
		putLook(t, s, "c", 2, nil)
		putLook(t, s, "d", 3, nil)
		putLook(t, s, "another page", 4, func(r *verification.Run) { r.URL = frontPage + "?x" })
		askLook(t, s, "open", november.Add(2*time.Hour))
		runs, err := s.Verifications.LastVerifications(t.Context(), frontPage, 3)
		require.NoError(t, err)
		require.Equal(t, []string{"slow", "d", "c"}, lookIDs(runs), "as they ended, whenever they were asked for")
		runs, err = s.Verifications.LastVerifications(t.Context(), frontPage, 10)
		require.NoError(t, err)
		require.Equal(t, []string{"slow", "d", "c", "b"}, lookIDs(runs))
		runs, err = s.Verifications.LastVerifications(t.Context(), "https://example.com", 10)
		require.NoError(t, err)
		require.Empty(t, runs, "exactly that URL")
	})
}
