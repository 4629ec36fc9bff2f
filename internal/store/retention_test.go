package store_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// limitedBy are the tables that only members, founders, payments or the calendar add rows to, and why they stay small.
var limitedBy = map[string]string{
	"members": "payments", "accounts": "payments and founders", "x_handles": "founders", "onboardings": "members", "account_deletions": "accounts",
	"generations": "members", "generation_candidates": "members", "generation_votes": "members", "posting_times": "members",
	"recurring_posts": "members", "posts": "500 slots a month", "scheduled_times": "recurring posts", "post_attempts": "posts", "post_tallies": "a constant number",
	"quota_months": "the calendar", "quota_slots": "the calendar", "quota_shares": "members", "credit_entries": "posts and payments",
	"x_read_months": "the calendar", "engagement_reads": "reads of a month", "provider_keys": "founders", "bot_connections": "founders", "bot": "one row",
	"audit_entries": "founders", "discount_months": "the calendar", "payment_reconciliations": "one row", "chaos_targets": "one row",
	"history_checks": "founders", "verification_baselines": "founders", "verification_days": "the calendar", "browsers": "one row",
	"experiment_numbers": "one row", "founder_votes": "founders", "experiment_votes": "members", "experiment_notes": "founders",
}

// keptOtherwise are the tables that strangers can grow and Tidy does not delete from.
var keptOtherwise = []string{"chaos_runs", "chaos_screenshots", "incidents", "model_calls", "secrets", "verification_screenshots", "verifications"}

// TestEveryTableHasARetention compares the schema, the code and docs/operations.md: a new table must be in one of the lists.
// Proves: S-floods
func TestEveryTableHasARetention(t *testing.T) {
	t.Parallel()
	text := string(must(os.ReadFile("../../docs/operations.md"))(t))
	_, section, found := strings.Cut(text, "\n## Growth and retention\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	deleted := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|.*\\| ([^|]+) \\|$").FindAllStringSubmatch(section, -1) {
		deleted[row[1]] = row[2]
	}
	documented := slices.Clone(keptOtherwise)
	for _, r := range store.Retentions() {
		documented = append(documented, r.Table)
		words := "when"
		if days := int(r.Kept / (24 * time.Hour)); days > 0 {
			words = fmt.Sprintf("%d day", days)
		}
		require.Contains(t, deleted[r.Table], words, r.Table)
	}
	for table := range deleted {
		require.Contains(t, documented, table, "no code deletes from it")
	}
	s := storetest.New(t, "sqlite")
	var tables []string
	require.NoError(t, s.Pool(t).QueryRowContext(t.Context(), "SELECT group_concat(name) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%'").Scan(&csv{&tables}))
	for _, table := range tables {
		_, listed := deleted[table]
		require.NotEqual(t, listed, limitedBy[table] != "", "%s: add it to docs/operations.md and Retentions, or to limitedBy", table)
	}
}

// csv scans a list of names.
type csv struct{ names *[]string }

func (c *csv) Scan(value any) error {
	*c.names = strings.Split(fmt.Sprint(value), ",")
	return nil
}

// Proves: S-floods, V7.4.1
func TestRetention(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	each(t, "what strangers left is deleted in time, and no earlier", func(t *testing.T, s *store.DB) {
		for i := range 3 {
			require.NoError(t, s.ClientErrors.SaveClientError(t.Context(), problem.ClientError{ID: fmt.Sprint(i), Path: "/", CreatedAt: november}, account.Asker{}))
		}
		id := issue(t, s, "nobody", nil, right, november)
		must(s.Emails.EndEmail(t.Context(), id, email.Skipped, "", "", november))(t)
		require.NoError(t, s.Diagnoses.BeginDiagnosis(t.Context(), diagnostic.Run{ID: "d1", Visitor: "v", CreatedAt: november}, account.Asker{}))
		require.NoError(t, s.Diagnoses.SaveFinding(t.Context(), "d1", diagnostic.Found{Finding: diagnostic.Finding{Step: diagnostic.StepEnvironment}}, november))
		l := beginXLogin(t, s, "hers")
		run := newRun(chaos.Visitors, november)
		require.NoError(t, s.Chaos.RequestChaos(t.Context(), run, account.Asker{}))
		endChaos(t, s, run.ID, november)
		require.NoError(t, s.Exec("INSERT INTO chaos_probes (run_id, part, data) VALUES (?, 0, ?)", run.ID, []byte("x")))
		idea := submit(t, s, "Nobody looks at it", experiment.FromVisitor)
		approved := moveTo(t, s, submit(t, s, "A founder looks at it", experiment.FromVisitor), experiment.Planning)
		must(s.Accounts.EndXLogin(t.Context(), l.ID, account.Denied, "", nil))(t)
		counts := func() (all []int) {
			for _, table := range []string{"client_errors", "emails", "diagnoses", "diagnosis_findings", "x_logins", "chaos_probes", "experiments"} {
				all = append(all, s.Count(t, table))
			}
			return all
		}
		for _, step := range []struct {
			at   time.Duration
			left []int
		}{
			{7*day + account.XLoginLife - time.Microsecond, []int{3, 1, 1, 1, 1, 1, 3}},
			{7*day + account.XLoginLife, []int{3, 1, 1, 1, 0, 1, 3}},
			{14*day - time.Microsecond, []int{3, 1, 1, 1, 0, 1, 3}},
			{14 * day, []int{0, 1, 1, 1, 0, 1, 3}},
			{30*day - time.Microsecond, []int{0, 1, 1, 1, 0, 1, 3}},
			{30 * day, []int{0, 0, 0, 0, 0, 1, 3}},
			{90*day - time.Microsecond, []int{0, 0, 0, 0, 0, 1, 3}},
			{90 * day, []int{0, 0, 0, 0, 0, 0, 2}},
			{1000 * day, []int{0, 0, 0, 0, 0, 0, 2}},
		} {
			require.NoError(t, s.Tidy(t.Context(), november.Add(step.at)))
			require.Equal(t, step.left, counts(), step.at)
		}
		require.Equal(t, 1, s.Count(t, "chaos_runs"))
		require.Equal(t, problem.NotFound, codeOf(s.Experiments.ExperimentRow(t.Context(), idea.ID)))
		require.Equal(t, approved.Number, must(s.Experiments.ExperimentRow(t.Context(), approved.ID))(t).Number)
	})
	each(t, "more rows than one batch", func(t *testing.T, s *store.DB) {
		require.NoError(t, s.Exec(`INSERT INTO client_errors (id, path, message, stack, created_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) SELECT CAST(i AS text), '/', '', '', ? FROM n`, november))
		require.NoError(t, s.Tidy(t.Context(), november.Add(14*day)))
		require.Zero(t, s.Count(t, "client_errors"))
	})
	each(t, "unpaid checkouts go with their prices and events", func(t *testing.T, s *store.DB) {
		price := func(state string) string {
			id := xid.New().String()
			require.NoError(t, s.Exec(`INSERT INTO price_decisions (id, demo, personal, list_price_reason, visits, time_on_site, viewed_pricing, added_to_cart, user_type,
				source, model, prompt, proposed_percent, reason, clamps, fallback_reason, list_cents, discount_percent, final_cents, held_cents, state, created_at, decided_at, valid_until)
				VALUES (?, false, true, '', 1, 1, true, false, 'new_visitor', 'rules', '', '', 0, '', '[]', '', 900, 0, 900, 0, 'used', ?, ?, ?)`, id, november, november, november))
			var paid any
			if state == "paid" {
				paid = november
			}
			require.NoError(t, s.Exec(`INSERT INTO checkouts (id, decision_id, demo, state, coupon_id, session_id, payment_url, paid_cents, fee_cents, refunded_cents, code, reason, run_id,
				created_at, updated_at, paid_at, ended_at) VALUES (?, ?, false, ?, '', ?, '', 0, 0, 0, '', '', '', ?, ?, ?, ?)`, id, id, state, id, november, november, paid, november))
			require.NoError(t, s.Exec(`INSERT INTO payment_events (id, type, checkout_id, created_at, received_at, handled_at) VALUES (?, '', ?, ?, ?, ?)`, id, id, november, november, november))
			return id
		}
		price("expired")
		paid := price("paid")
		left := func(at time.Duration) []int {
			require.NoError(t, s.Tidy(t.Context(), november.Add(at)))
			return []int{s.Count(t, "checkouts"), s.Count(t, "price_decisions"), s.Count(t, "payment_events")}
		}
		require.Equal(t, []int{2, 2, 2}, left(90*day-time.Microsecond))
		require.NoError(t, s.Exec("UPDATE experiments SET metric = 'conversion', threshold = 1, due_at = ?, started_at = ? WHERE id = '001'", november, november))
		require.Equal(t, []int{2, 2, 0}, left(90*day), "a running experiment still counts it")
		require.NoError(t, s.Exec("UPDATE experiments SET started_at = ? WHERE id = '001'", november.Add(time.Hour)))
		require.Equal(t, []int{1, 1, 0}, left(90*day))
		require.Equal(t, 1, s.Number(t, "SELECT count(*) FROM checkouts WHERE id = ?", paid))
	})
	each(t, "texts of model calls go, their costs stay", func(t *testing.T, s *store.DB) {
		require.NoError(t, s.Exec(`INSERT INTO model_calls (id, task, prompt, model, question, answer, outcome, detail, tokens_in, tokens_out, cost_nano_usd, priced, took_ms, created_at)
			VALUES ('c', 'price', 'p', 'm', 'question', 'answer', 'ok', '', 1, 1, 7, true, 1, ?)`, november))
		for texts, at := range []time.Duration{90 * day, 90*day - time.Microsecond} {
			require.NoError(t, s.Exec("UPDATE model_calls SET answer = 'answer'"))
			require.NoError(t, s.Tidy(t.Context(), november.Add(at)))
			require.Equal(t, texts, s.Number(t, "SELECT count(*) FROM model_calls WHERE question <> '' OR answer <> ''"), at)
		}
		require.Equal(t, 7, s.Number(t, "SELECT sum(cost_nano_usd) FROM model_calls"))
	})
}
