package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

var fiveAnHour = account.Limit{Name: "test", Most: 5, Per: time.Hour, Doing: "tests"}

// Proves: F31, V15.4.2, V2.3.2
func TestLimits(t *testing.T) {
	t.Parallel()
	each(t, "callers at once take no more than the limit", func(t *testing.T, s *store.DB) {
		require.Equal(t, 5, atOnce(t, 200, func(int) error { return s.Limits.Consume(t.Context(), fiveAnHour, "ada", november) }, problem.TooMany))
		require.Equal(t, 5, s.Number(t, "SELECT used FROM rate_windows"))
	})
	each(t, "a new window has its own five", func(t *testing.T, s *store.DB) {
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
	each(t, "the database itself refuses one too many", func(t *testing.T, s *store.DB) {
		for range 5 {
			require.NoError(t, s.Limits.Consume(t.Context(), fiveAnHour, "ada", november))
		}
		require.ErrorIs(t, s.Exec(`UPDATE rate_windows SET used = used + 1`), gorm.ErrCheckConstraintViolated)
		require.ErrorIs(t, s.Exec(`UPDATE rate_windows SET allowed = 4`), gorm.ErrCheckConstraintViolated)
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

// Proves: V2.4.1-rest
func TestReportsOfBrokenPagesCannotFillTheDatabase(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		most := account.ReportsOverall.Most
		stored := atOnce(t, most+20, func(i int) error {
			return s.ClientErrors.SaveClientError(t.Context(), problem.ClientError{ID: fmt.Sprint("r", i), Message: "boom", Path: "/", CreatedAt: november})
		}, problem.TooMany)
		require.Equal(t, most, stored)
		later := problem.ClientError{ID: "later", Message: "boom", Path: "/", CreatedAt: november.Add(time.Minute)}
		require.NoError(t, s.ClientErrors.SaveClientError(t.Context(), later))
		require.Equal(t, most+1, s.Number(t, "SELECT count(*) FROM client_errors"))
	})
}

// Proves: V7.4.1
func TestTidyKeepsWhatIsStillGood(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		a := must(s.Accounts.XAccount(t.Context(), "1", "grace", november))(t)
		token := account.NewToken()
		must(s.Accounts.OpenSession(t.Context(), account.NewSession{AccountID: a.ID, Token: token, Provider: account.ByX}, november))(t)
		limit := account.Limit{Name: "l", Most: 1, Per: 48 * time.Hour, Doing: "things"}
		require.NoError(t, s.Limits.Consume(t.Context(), limit, "somebody", november))
		soon := november.Add(36 * time.Hour)
		require.NoError(t, s.Tidy(t.Context(), soon))
		require.Equal(t, problem.TooMany, problem.CodeOf(s.Limits.Consume(t.Context(), limit, "somebody", soon)), "the limit still stands")
		require.Len(t, must(s.Accounts.Sessions(t.Context(), a.ID, soon))(t), 1)
		late := november.Add(account.SessionLife + time.Hour)
		require.NoError(t, s.Tidy(t.Context(), late))
		require.Empty(t, must(s.Accounts.Sessions(t.Context(), a.ID, november))(t), "it is deleted, not only over")
	})
}

// Tidying must not wait for rows that others are changing: two who wait for one another's
// would wait in a circle. SQLite has one writer at a time, so there it cannot happen.
func TestTidyWaitsForNobody(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "postgres")
	grace := xAccount(t, s, "1", "grace")
	must(s.Accounts.OpenSession(t.Context(), account.NewSession{AccountID: grace.ID, Token: account.NewToken(), Provider: account.ByX}, november))(t)
	must(s.Accounts.IssueCode(t.Context(), account.NewCode{Purpose: account.ForLogin, Subject: "s", Visitor: "v", Code: right}, november))(t)

	late := november.Add(account.SessionLife)
	soon, cancel := context.WithTimeout(t.Context(), testwait.Limit)
	defer cancel()
	letGoOfSessions, letGoOfCodes := s.Hold(t, "UPDATE sessions SET created_at = created_at"), s.Hold(t, "UPDATE login_codes SET created_at = created_at")
	require.NoError(t, s.Tidy(soon, late))
	require.Equal(t, 2, s.Count(t, "sessions")+s.Count(t, "login_codes"), "what somebody holds is left")
	letGoOfSessions()
	letGoOfCodes()
	require.NoError(t, s.Tidy(soon, late))
	require.Zero(t, s.Count(t, "sessions")+s.Count(t, "login_codes"))
}
