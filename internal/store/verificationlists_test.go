package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/verification"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

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
