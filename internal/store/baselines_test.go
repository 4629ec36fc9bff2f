package store_test

import (
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/verification"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// newBaseline is a wide look of the front page.
func newBaseline(id, runID string, theme verification.Theme, at time.Time) verification.Baseline {
	return verification.Baseline{
		ID: id, Path: "/", Theme: theme, Viewport: "wide", Picture: sha("b"), Width: 1280, Height: 800,
		RunID: runID, Reason: "It is new.", ApprovedBy: "grace", ApprovedAt: at,
	}
}

func approveLook(t *testing.T, s *store.DB, looks ...verification.Baseline) {
	t.Helper()
	require.NoError(t, s.Verifications.ApproveLook(t.Context(), looks))
}

func baselineIDs(looks []verification.Baseline) (ids []string) {
	for _, b := range looks {
		ids = append(ids, b.ID)
	}
	return ids
}

func currentLooks(t *testing.T, s *store.DB, path string) []string {
	t.Helper()
	looks, err := s.Verifications.CurrentBaselines(t.Context(), path)
	require.NoError(t, err)
	return baselineIDs(looks)
}

func TestAnApprovedLookReplacesAnother(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := askLook(t, s, "k", november)
		first := newBaseline("b1", r.ID, verification.Light, november.Add(time.Nanosecond))
		first.Masks = []verification.Rect{{X: 1, Y: 2, Width: 3, Height: 4}}
		wrong := "nonsense"
		first.CurrentKey = &wrong
		approveLook(t, s, first)
		looks, err := s.Verifications.CurrentBaselines(t.Context(), "/")
		require.NoError(t, err)
		require.Len(t, looks, 1)
		key := verification.BaselineKey("/", verification.Light, "wide")
		first.CurrentKey, first.ApprovedAt, looks[0].ApprovedAt = &key, november, looks[0].ApprovedAt.UTC()
		require.Equal(t, first, looks[0])

		approveLook(t, s, newBaseline("b2", r.ID, verification.Light, november.Add(time.Minute)))
		require.Equal(t, []string{"b2"}, currentLooks(t, s, "/"))
		looks, err = s.Verifications.BaselinesNamed(t.Context(), []string{"b2", "b1", "nobody"})
		require.NoError(t, err)
		require.Equal(t, []string{"b1", "b2"}, baselineIDs(looks))
		first.CurrentKey, looks[0].ApprovedAt = nil, looks[0].ApprovedAt.UTC()
		require.Equal(t, first, looks[0], "it stays as it was, but for counting")
		require.Equal(t, []verification.Rect{}, looks[1].Masks)
		none, err := s.Verifications.BaselinesNamed(t.Context(), nil)
		require.NoError(t, err)
		require.Empty(t, none)
	})
}

func TestLooksAreApprovedAllOrNone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := askLook(t, s, "k", november)
		approveLook(t, s, newBaseline("old", r.ID, verification.Light, november))
		bad := newBaseline("bad", r.ID, verification.Dark, november)
		bad.Reason = ""
		lost := newBaseline("lost", "gone", verification.Dark, november)
		for _, other := range []verification.Baseline{bad, lost} {
			require.Error(t, s.Verifications.ApproveLook(t.Context(), []verification.Baseline{newBaseline("new", r.ID, verification.Light, november), other}))
			require.Equal(t, []string{"old"}, currentLooks(t, s, "/"))
			require.Equal(t, 1, s.Count(t, "verification_baselines"))
		}
	})
}

func TestApprovedLooksAreListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		r := askLook(t, s, "k", november)
		about := newBaseline("about", r.ID, verification.Light, november.Add(time.Minute))
		about.Path = "/about"
		narrow := newBaseline("narrow", r.ID, verification.Light, november)
		narrow.Viewport = "narrow"
		approveLook(t, s, narrow, newBaseline("dark", r.ID, verification.Dark, november), newBaseline("old", r.ID, verification.Light, november.Add(-time.Minute)))
		approveLook(t, s, about)
		approveLook(t, s, newBaseline("new", r.ID, verification.Light, november.Add(2*time.Minute)))
		for name, tt := range map[string]struct {
			path          string
			limit, offset int
			want          []string
			total         int
		}{
			"all, the newest first": {"", 10, 0, []string{"new", "about", "narrow", "dark", "old"}, 5},
			"a page of them":        {"", 2, 1, []string{"about", "narrow"}, 5},
			"of one page":           {"/", 10, 0, []string{"new", "narrow", "dark", "old"}, 4},
			"none":                  {"/nowhere", 10, 0, nil, 0},
		} {
			looks, total, err := s.Verifications.Baselines(t.Context(), tt.path, tt.limit, tt.offset)
			require.NoError(t, err, name)
			require.Equal(t, tt.want, baselineIDs(looks), name)
			require.Equal(t, tt.total, total, name)
		}
		require.Equal(t, []string{"new", "dark", "narrow"}, currentLooks(t, s, "/"), "in the order of views")
		require.Equal(t, []string{"about"}, currentLooks(t, s, "/about"))
	})
}

// Founders who approve at once, of other runs and in another order, come one after the other.
func TestLooksApprovedAtOnceReplaceOneAnother(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		const founders = 20
		runs := []verification.Run{askLook(t, s, "one", november), askLook(t, s, "two", november)}
		var all sync.WaitGroup
		for i := range founders {
			looks := []verification.Baseline{
				newBaseline("light"+strconv.Itoa(i), runs[i%2].ID, verification.Light, november),
				newBaseline("dark"+strconv.Itoa(i), runs[i%2].ID, verification.Dark, november),
			}
			if i%3 == 0 {
				slices.Reverse(looks)
			}
			if i%5 == 0 {
				looks[1].RunID = runs[(i+1)%2].ID
			}
			all.Go(func() {
				if err := s.Verifications.ApproveLook(t.Context(), looks); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		require.Equal(t, 2*founders, s.Count(t, "verification_baselines"))
		now := currentLooks(t, s, "/")
		require.Len(t, now, 2)
		require.Equal(t, now[0][len("light"):], now[1][len("dark"):], "both are of the same founder")
	})
}
