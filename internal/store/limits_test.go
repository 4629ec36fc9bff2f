package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

var fiveAnHour = account.Limit{Name: "test", Most: 5, Per: time.Hour, Doing: "tests"}

// Proves: F31, V15.4.2
func TestAnyNumberOfCallersTakeNoMoreThanTheLimit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		require.Equal(t, 5, atOnce(t, 200, func(int) error {
			return s.Limits.Consume(t.Context(), fiveAnHour, "ada", november)
		}, problem.TooMany))
		require.Equal(t, 5, s.Number(t, "SELECT used FROM rate_windows"))
	})
}

func TestFullWindow(t *testing.T) {
	t.Parallel()
	end := november.Add(time.Hour)
	cases := map[string]struct {
		whom  string
		limit account.Limit
		at    time.Time
		taken bool
	}{
		"refuses":                              {"ada", fiveAnHour, november.Add(time.Minute), false},
		"refuses to its last microsecond":      {"ada", fiveAnHour, end.Add(-time.Microsecond), false},
		"begins anew on the dot":               {"ada", fiveAnHour, end, true},
		"is over long after":                   {"ada", fiveAnHour, end.Add(40 * time.Hour), true},
		"is somebody's own":                    {"bea", fiveAnHour, november, true},
		"is one limit's":                       {"ada", account.Limit{Name: "other", Most: 5, Per: time.Hour}, november, true},
		"has room when the limit is raised":    {"ada", account.Limit{Name: "test", Most: 6, Per: time.Hour}, november, true},
		"stays full when the limit is lowered": {"ada", account.Limit{Name: "test", Most: 1, Per: time.Hour}, november, false},
	}
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for name, tt := range cases {
			t.Run(name, func(t *testing.T) {
				for i := range 5 {
					require.NoError(t, s.Limits.Consume(t.Context(), fiveAnHour, name+"ada", november.Add(time.Duration(i)*time.Second)))
				}
				err := s.Limits.Consume(t.Context(), tt.limit, name+tt.whom, tt.at)
				if tt.taken {
					require.NoError(t, err)
					return
				}
				p, ok := errors.AsType[*problem.Error](err)
				require.True(t, ok)
				require.Equal(t, problem.TooMany, p.Code)
				require.True(t, p.RetryAfter.Equal(end), "counted from the first time, not the last")
				require.ErrorContains(t, err, "13:00:00 UTC")
				require.NotContains(t, err.Error(), "ada")
			})
		}
	})
}

func TestNewWindowHasItsOwnFive(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for _, begin := range []time.Time{november, november.Add(90 * time.Minute)} {
			for range 5 {
				require.NoError(t, s.Limits.Consume(t.Context(), fiveAnHour, "ada", begin))
			}
			err := s.Limits.Consume(t.Context(), fiveAnHour, "ada", begin)
			p, ok := errors.AsType[*problem.Error](err)
			require.True(t, ok)
			require.True(t, p.RetryAfter.Equal(begin.Add(time.Hour)))
		}
	})
}

// Proves: V2.3.2
func TestDatabaseItselfRefusesOneTooMany(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for range 5 {
			require.NoError(t, s.Limits.Consume(t.Context(), fiveAnHour, "ada", november))
		}
		require.ErrorIs(t, s.Exec(`UPDATE rate_windows SET used = used + 1`), gorm.ErrCheckConstraintViolated)
		require.ErrorIs(t, s.Exec(`UPDATE rate_windows SET allowed = 4`), gorm.ErrCheckConstraintViolated)
	})
}
