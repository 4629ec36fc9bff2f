package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func TestDiagnosisKeepsWhatItsStepsFound(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		require.NoError(t, s.Diagnoses.BeginDiagnosis(t.Context(), diagnostic.Run{ID: "d1", Visitor: "v", CreatedAt: november}))
		found := diagnostic.Found{
			Finding: diagnostic.Finding{
				Step: diagnostic.StepRequestToken, Code: "keys_refused", Problem: "X refuses the keys.", Remedy: "Make new ones.",
				Facts: []diagnostic.Fact{{Name: "HTTP status", Value: "401"}},
			},
			Measures: diagnostic.Measures{KeyLength: 25, Status: 401}, Raw: "an answer",
		}
		env := diagnostic.Found{Finding: diagnostic.Finding{Step: diagnostic.StepEnvironment, OK: true, Code: "ok"}}
		require.NoError(t, s.Diagnoses.SaveFinding(t.Context(), "d1", env, november))
		for _, raw := range []string{"a broken answer", "an answer"} { // a repeated step says it anew
			again := found
			again.Raw = raw
			require.NoError(t, s.Diagnoses.SaveFinding(t.Context(), "d1", again, november.Add(time.Second)))
		}
		end := november.Add(time.Minute)
		require.NoError(t, s.Diagnoses.MoveDiagnosis(t.Context(), "d1", "run-1", nil))
		require.NoError(t, s.Diagnoses.MoveDiagnosis(t.Context(), "d1", "run-1", &end))

		run, err := s.Diagnoses.Diagnosis(t.Context(), "d1")
		require.NoError(t, err)
		require.Equal(t, []diagnostic.Found{env, found}, run.Findings)
		require.Equal(t, "run-1", run.RunID)
		require.True(t, run.EndedAt.Equal(end))
		require.Error(t, s.Diagnoses.SaveFinding(t.Context(), "nobody's", env, november))
		_, err = s.Diagnoses.Diagnosis(t.Context(), "nobody's")
		require.Equal(t, problem.NotFound, problem.CodeOf(err))
	})
}

func TestDiagnosesAreLimited(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		begin := func(id, visitor string, keys *string, at time.Time) error {
			return s.Diagnoses.BeginDiagnosis(t.Context(), diagnostic.Run{ID: id, Visitor: visitor, ProviderKeyID: keys, CreatedAt: at})
		}
		require.NoError(t, begin("d1", "v", nil, november))
		require.Equal(t, problem.TooMany, problem.CodeOf(begin("d2", "v", nil, november)))
		require.NoError(t, begin("d3", "w", nil, november))
		tried := proposeKeys(t, s, "new")
		for _, id := range []string{"d4", "d5"} {
			require.NoError(t, begin(id, "v", &tried.ID, november.Add(time.Second)), "new keys are tried whoever waits")
		}
		require.NoError(t, begin("d6", "v", nil, november.Add(account.DiagnosisPerPerson.Per)))
		require.Equal(t, 5, s.Count(t, "diagnoses"))
	})
}

func TestVisitorsLatestDiagnosis(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		tried := proposeKeys(t, s, "new")
		for _, run := range []diagnostic.Run{
			{ID: "early", Visitor: "v", CreatedAt: november},
			{ID: "late", Visitor: "v", CreatedAt: november.Add(time.Hour)},
			{ID: "another's", Visitor: "w", CreatedAt: november.Add(2 * time.Hour)},
			{ID: "of new keys", Visitor: "v", ProviderKeyID: &tried.ID, CreatedAt: november.Add(2 * time.Hour)},
		} {
			require.NoError(t, s.Diagnoses.BeginDiagnosis(t.Context(), run))
		}
		latest, err := s.Diagnoses.LatestDiagnosis(t.Context(), "v", november.Add(time.Hour))
		require.NoError(t, err)
		require.Equal(t, "late", latest.ID)
		_, err = s.Diagnoses.LatestDiagnosis(t.Context(), "v", november.Add(time.Hour+time.Microsecond))
		require.Equal(t, problem.NotFound, problem.CodeOf(err))
	})
}
