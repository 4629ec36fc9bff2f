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

// TestSharedLimits checks that neither one network nor a few can use up what all callers share. Scheduled runs are not
// limited.
// Proves: V2.4.1-chaos, V2.4.1-verifications, LLM06
func TestSharedLimits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		limit account.Shared
		table string
		run   func(t *testing.T, s *store.DB, by string, asker account.Asker, at time.Time) error // ends the started run
	}{
		"chaos": {chaos.Limits, "chaos_runs", func(t *testing.T, s *store.DB, by string, asker account.Asker, at time.Time) error {
			t.Helper()
			r := newRun(chaos.Requester(by), at)
			err := s.Chaos.RequestChaos(t.Context(), r, asker)
			if err == nil {
				endChaos(t, s, r.ID, at)
			}
			return err
		}},
		"verifications": {verification.Limits, "verifications", func(t *testing.T, s *store.DB, by string, asker account.Asker, at time.Time) error {
			t.Helper()
			return s.Verifications.RequestVerification(t.Context(), newVerification(verification.Requester(by), xid.New().String(), at), asker)
		}},
	} {
		soon, over := november.Add(time.Hour-time.Second), november.Add(time.Hour)
		each(t, name+" of a visitor", func(t *testing.T, s *store.DB) {
			ada, eve := account.Asker{Visitor: "ada", Networks: []string{"office"}}, account.Asker{Visitor: "eve", Networks: []string{"office"}}
			for range tt.limit.PerVisitor.Most {
				require.NoError(t, tt.run(t, s, "visitor", ada, november))
			}
			requireTooMany(t, tt.run(t, s, "visitor", ada, soon), over, "Too many "+tt.limit.PerVisitor.Doing+".")
			require.Equal(t, tt.limit.PerVisitor.Most, s.Count(t, tt.table), "what is refused is not stored")
			require.NoError(t, tt.run(t, s, "visitor", eve, soon), "another visitor of the same office has limits of their own")
			require.NoError(t, tt.run(t, s, "visitor", ada, over))
		})
		each(t, name+" of a few networks", func(t *testing.T, s *store.DB) {
			refused, accepted := 0, 0
			for i := range 4 * tt.limit.PerNetwork.Most { // four networks with a new visitor for each run
				n := "n" + strconv.Itoa(i%4)
				if err := tt.run(t, s, "visitor", account.Asker{Visitor: "v" + strconv.Itoa(i), Networks: []string{n}}, november); err == nil {
					accepted++
				} else {
					requireCode(t, problem.TooMany, err)
					refused++
				}
			}
			require.Equal(t, tt.limit.Common().Most, accepted)
			require.NotZero(t, refused)
			for i := range tt.limit.Reserved().Most {
				require.NoError(t, tt.run(t, s, "visitor", asker("honest "+strconv.Itoa(i)), soon), "a network's first run has capacity of its own")
			}
			require.Equal(t, problem.TooMany, problem.CodeOf(tt.run(t, s, "visitor", asker("honest 0"), soon)), "but only its first")
			requireTooMany(t, tt.run(t, s, "visitor", asker("last"), soon), soon.Add(tt.limit.Overall.Per), "Too many "+tt.limit.Overall.Doing+".")
			require.Zero(t, s.Number(t, "SELECT count(*) FROM rate_windows WHERE bucket LIKE ?", "%last"), "a refusal uses nothing up")
			require.NoError(t, tt.run(t, s, "member", account.Asker{Member: "m"}, soon), "members have capacity of their own")
			require.NoError(t, tt.run(t, s, "founder", account.Asker{Founder: true}, soon), "and founders")
			require.NoError(t, tt.run(t, s, "schedule", account.Asker{}, soon))
		})
		each(t, name+" of members and founders", func(t *testing.T, s *store.DB) {
			for range tt.limit.PerMember.Most {
				require.NoError(t, tt.run(t, s, "member", account.Asker{Member: "m"}, november))
			}
			requireTooMany(t, tt.run(t, s, "member", account.Asker{Member: "m"}, november), over, "Too many "+tt.limit.PerMember.Doing+".")
			for range tt.limit.Overall.Most - tt.limit.PerMember.Most {
				require.NoError(t, tt.run(t, s, "founder", account.Asker{Founder: true}, november), "founders have no limit of their own")
			}
			requireTooMany(t, tt.run(t, s, "founder", account.Asker{Founder: true}, november), over, "Too many "+tt.limit.Overall.Doing+".")
			require.NoError(t, tt.run(t, s, "visitor", asker("ada"), november))
		})
	}
	// A provider assigns a /64, a /56 or a /48 to one customer.
	each(t, "narrow networks count for the wider ones around them", func(t *testing.T, s *store.DB) {
		limit := account.Limit{Name: "n", Most: 5, Per: time.Hour, Doing: "things"}
		use := func(narrow, middle int) error {
			a := account.Asker{Networks: []string{fmt.Sprint("/64 ", narrow), fmt.Sprint("/56 ", middle), "/48"}}
			return s.Limits.ConsumeAll(t.Context(), a.By(limit), november)
		}
		taken := func(narrow func(i int) int, middle int) (n int) {
			for i := range 100 {
				if use(narrow(i), middle) == nil {
					n++
				}
			}
			return n
		}
		require.Equal(t, 5, taken(func(int) int { return 0 }, 0), "one /64")
		require.Equal(t, 5, taken(func(i int) int { return 1 + i }, 0), "all of its /56: twice as many")
		require.Equal(t, 10, taken(func(i int) int { return 200 + i }, 1), "all of its /48: four times as many")
		require.Zero(t, taken(func(i int) int { return 400 + i }, 2))
		require.NoError(t, s.Limits.ConsumeAll(t.Context(), account.Asker{Networks: []string{"a", "b", "c"}}.By(limit), november))
	})
}

// Proves: V2.4.1-rest
func TestClientErrorLimit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		report := func(network, id string, at time.Time) error {
			return s.ClientErrors.SaveClientError(t.Context(), problem.ClientError{ID: id, Message: "boom", Path: "/", CreatedAt: at}, asker(network))
		}
		most := account.Reports.PerNetwork.Most
		require.Equal(t, most, atOnce(t, most+20, func(i int) error { return report("n", fmt.Sprint("r", i), november) }, problem.TooMany))
		require.NoError(t, report("another", "another's", november))
		require.NoError(t, report("n", "later", november.Add(time.Hour)))
		require.Equal(t, most+2, s.Count(t, "client_errors"))
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
