package store_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
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
			consumeAll(t, s, "ada", begin)
			requireTooMany(t, s.Limits.Consume(t.Context(), fiveAnHour, "ada", begin), begin.Add(time.Hour), "")
		}
	})
	each(t, "the database itself refuses one too many", func(t *testing.T, s *store.DB) {
		consumeAll(t, s, "ada", november)
		require.ErrorIs(t, s.Exec(`UPDATE rate_windows SET used = used + 1`), gorm.ErrCheckConstraintViolated)
		require.ErrorIs(t, s.Exec(`UPDATE rate_windows SET allowed = 4`), gorm.ErrCheckConstraintViolated)
	})
}

// consumeAll uses up a limit, one per second.
func consumeAll(t *testing.T, s *store.DB, subject string, at time.Time) {
	t.Helper()
	for i := range fiveAnHour.Most {
		require.NoError(t, s.Limits.Consume(t.Context(), fiveAnHour, subject, at.Add(time.Duration(i)*time.Second)))
	}
}

func TestFullWindow(t *testing.T) {
	t.Parallel()
	end := november.Add(time.Hour)
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for name, tt := range map[string]struct {
			subject string
			limit   account.Limit
			at      time.Time
			taken   bool
		}{
			"refuses":                              {"ada", fiveAnHour, november.Add(time.Minute), false},
			"refuses until its last microsecond":   {"ada", fiveAnHour, end.Add(-time.Microsecond), false},
			"restarts exactly at its end":          {"ada", fiveAnHour, end, true},
			"restarts long after its end":          {"ada", fiveAnHour, end.Add(40 * time.Hour), true},
			"does not count for another caller":    {"bea", fiveAnHour, november, true},
			"does not count for another limit":     {"ada", account.Limit{Name: "other", Most: 5, Per: time.Hour}, november, true},
			"has room when the limit is raised":    {"ada", account.Limit{Name: "test", Most: 6, Per: time.Hour}, november, true},
			"stays full when the limit is lowered": {"ada", account.Limit{Name: "test", Most: 1, Per: time.Hour}, november, false},
		} {
			t.Run(name, func(t *testing.T) {
				consumeAll(t, s, name+"ada", november)
				err := s.Limits.Consume(t.Context(), tt.limit, name+tt.subject, tt.at)
				if tt.taken {
					require.NoError(t, err)
					return
				}
				requireTooMany(t, err, end, "") // from the first use, not the last
				require.NotContains(t, err.Error(), "ada")
			})
		}
	})
}

// TestRunLimits checks the limits per visitor and overall. Scheduled runs count for neither.
// Proves: V2.4.1-chaos, V2.4.1-verifications, LLM06
func TestRunLimits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		perVisitor, overall account.Limit
		table               string
		run                 func(t *testing.T, s *store.DB, by, visitor string, at time.Time) error // ends the started run
	}{
		"chaos": {chaos.PerVisitor, chaos.Overall, "chaos_runs", func(t *testing.T, s *store.DB, by, visitor string, at time.Time) error {
			t.Helper()
			r := newRun(chaos.Requester(by), at)
			err := s.Chaos.RequestChaos(t.Context(), r, visitor)
			if err == nil {
				endChaos(t, s, r.ID, at)
			}
			return err
		}},
		"verifications": {verification.PerVisitor, verification.Overall, "verifications", func(t *testing.T, s *store.DB, by, visitor string, at time.Time) error {
			t.Helper()
			return s.Verifications.RequestVerification(t.Context(), newVerification(verification.Requester(by), xid.New().String(), at), visitor)
		}},
	} {
		each(t, name+" of a visitor", func(t *testing.T, s *store.DB) {
			for range tt.perVisitor.Most {
				require.NoError(t, tt.run(t, s, "visitor", "ada", november))
			}
			soon, over := november.Add(time.Hour-time.Second), november.Add(time.Hour)
			requireTooMany(t, tt.run(t, s, "visitor", "ada", soon), over, "Too many "+tt.perVisitor.Doing+".")
			require.Equal(t, tt.perVisitor.Most, s.Count(t, tt.table), "what is refused is not stored")
			require.NoError(t, tt.run(t, s, "visitor", "eve", soon), "another visitor has limits of their own")
			require.NoError(t, tt.run(t, s, "visitor", "ada", over))
		})
		each(t, name+" of all callers together", func(t *testing.T, s *store.DB) {
			for i := range tt.overall.Most {
				by, visitor := "visitor", "v"+strconv.Itoa(i)
				if i%2 == 0 {
					by, visitor = "founder", "" // founders count overall, but have no own limit
				}
				require.NoError(t, tt.run(t, s, by, visitor, november))
			}
			for by, visitor := range map[string]string{"visitor": "last", "member": "last", "founder": ""} {
				requireTooMany(t, tt.run(t, s, by, visitor, november), november.Add(tt.overall.Per), "Too many "+tt.overall.Doing+".")
			}
			require.Zero(t, s.Number(t, "SELECT count(*) FROM rate_windows WHERE bucket = ?", tt.perVisitor.Name+":last"), "a refusal uses nothing up")
			require.NoError(t, tt.run(t, s, "schedule", "", november))
			require.NoError(t, tt.run(t, s, "visitor", "last", november.Add(tt.overall.Per)))
		})
	}
}

// Proves: V2.4.1-rest
func TestClientErrorLimit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		most := account.ReportsOverall.Most
		report := func(id string, at time.Time) error {
			return s.ClientErrors.SaveClientError(t.Context(), problem.ClientError{ID: id, Message: "boom", Path: "/", CreatedAt: at})
		}
		require.Equal(t, most, atOnce(t, most+20, func(i int) error { return report(fmt.Sprint("r", i), november) }, problem.TooMany))
		require.NoError(t, report("later", november.Add(time.Minute)))
		require.Equal(t, most+1, s.Count(t, "client_errors"))
	})
}

// Proves: V7.4.1
func TestTidy(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		a := xAccount(t, s, "1", "grace")
		openSession(t, s, account.NewSession{AccountID: a.ID}, november)
		limit := account.Limit{Name: "l", Most: 1, Per: 48 * time.Hour, Doing: "things"}
		require.NoError(t, s.Limits.Consume(t.Context(), limit, "somebody", november))
		soon := november.Add(36 * time.Hour)
		require.NoError(t, s.Tidy(t.Context(), soon))
		requireCode(t, problem.TooMany, s.Limits.Consume(t.Context(), limit, "somebody", soon)) // the limit still stands
		require.NoError(t, s.Tidy(t.Context(), november.Add(account.SessionLife-time.Microsecond)))
		require.Len(t, must(s.Accounts.Sessions(t.Context(), a.ID, soon))(t), 1, "a session is kept until it expires")
		require.NoError(t, s.Tidy(t.Context(), november.Add(account.SessionLife)))
		require.Empty(t, sessionIDs(t, s, a.ID), "it is deleted, not only over")
	})
}

// TestTidySkipsLockedRows runs on Postgres only: SQLite has one writer, so it cannot deadlock.
func TestTidySkipsLockedRows(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "postgres")
	openSession(t, s, account.NewSession{AccountID: xAccount(t, s, "1", "grace").ID}, november)
	issue(t, s, "s", nil, right, november)
	soon, cancel := context.WithTimeout(t.Context(), testwait.Limit)
	defer cancel()
	letGoOfSessions, letGoOfCodes := s.Hold(t, "UPDATE sessions SET created_at = created_at"), s.Hold(t, "UPDATE login_codes SET created_at = created_at")
	require.NoError(t, s.Tidy(soon, november.Add(account.SessionLife)))
	require.Equal(t, 2, s.Count(t, "sessions")+s.Count(t, "login_codes"), "what is locked is left")
	letGoOfSessions()
	letGoOfCodes()
	require.NoError(t, s.Tidy(soon, november.Add(account.SessionLife)))
	require.Zero(t, s.Count(t, "sessions")+s.Count(t, "login_codes"))
}

func TestAudit(t *testing.T) {
	t.Parallel()
	each(t, "entries are listed newest first", func(t *testing.T, s *store.DB) {
		grace := xAccount(t, s, "1", "grace")
		whole := audit.Entry{
			ID: "keys-1", At: november.Add(time.Hour), AccountID: &grace.ID, Actor: "@grace", Action: audit.ReplaceProviderKeys,
			Outcome: audit.Begun, Detail: "New keys are tried.", WorkflowID: "keys:1", RunID: "run-1",
		}
		require.NoError(t, s.AuditLog.Audit(t.Context(), whole))
		for _, detail := range []string{"first", "second", "third"} { // at the same time
			require.NoError(t, s.AuditLog.Audit(t.Context(), audit.Entry{At: november, Actor: "the founders' key", Action: audit.RetryEmail, Outcome: audit.Done, Detail: detail}))
		}
		page := auditPage(t, s, 0, 4, "New keys are tried.", "third", "second")
		page[0].At = page[0].At.UTC()
		require.Equal(t, whole, page[0])
		auditPage(t, s, 3, 4, "first")
	})
	// A change and its audit entries are one transaction, which reads its own changes.
	each(t, "the change and its entry are one transaction", func(t *testing.T, s *store.DB) {
		pause := bot.ControlsChange{Paused: new(true), Reason: "a storm"}
		paused := func(ctx context.Context) bool {
			return must(s.Bot.Controls(ctx))(t).Paused()
		}
		do := func(then error) error {
			return s.AuditLog.Audited(t.Context(), func(ctx context.Context) ([]audit.Entry, error) {
				must2(s.Bot.SetControls(ctx, pause, "@grace", november))(t)
				require.True(t, paused(ctx))
				require.False(t, paused(t.Context()))
				return []audit.Entry{{At: november, Action: audit.PauseBot, Outcome: audit.Done, Detail: "one"}, {At: november, Action: audit.PauseBot, Outcome: audit.Done, Detail: "two"}}, then
			})
		}
		died := errors.New("it died")
		require.ErrorIs(t, do(died), died)
		require.False(t, paused(t.Context()))
		require.Zero(t, s.Count(t, "audit_entries"))

		require.NoError(t, do(nil))
		require.True(t, paused(t.Context()))
		require.Equal(t, 2, s.Count(t, "audit_entries"))
	})
	// A repeated activity adds its entry once.
	each(t, "an entry with an ID is written once", func(t *testing.T, s *store.DB) {
		for _, detail := range []string{"first", "repeated"} {
			require.NoError(t, s.AuditLog.Audit(t.Context(), audit.Entry{ID: "keys-1", At: november, Action: audit.ConnectBot, Outcome: audit.Done, Detail: detail}))
		}
		auditPage(t, s, 0, 1, "first")
	})
}

// auditPage reads three entries from offset, and checks their details and the total.
func auditPage(t *testing.T, s *store.DB, offset, total int, details ...string) []audit.Entry {
	t.Helper()
	page, got := must2(s.AuditLog.AuditEntries(t.Context(), 3, offset))(t)
	require.Equal(t, total, got)
	require.Len(t, page, len(details))
	for i, detail := range details {
		require.Equal(t, detail, page[i].Detail)
	}
	return page
}
