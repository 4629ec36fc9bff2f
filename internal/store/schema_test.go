package store

import (
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/domain/verification"
	"customerzero/internal/store/testdb"
)

var models = []any{
	&member.Member{}, &member.CreditEntry{}, &post.Post{}, &post.Attempt{},
	&quotaMonth{}, &quotaSlot{}, &quotaShare{}, &readMonth{}, &engagementRead{}, &problem.ClientError{},
	&account.Account{}, &account.Session{}, &account.Code{}, &account.ActivationLink{}, &account.XLogin{}, &account.Device{}, &account.AddressChange{}, &xHandle{},
	&secret{}, &rateWindow{}, &email.Message{}, &diagnostic.Run{}, &finding{},
	&bot.Connection{}, &bot.ProviderKeys{}, &botRow{}, &audit.Entry{}, &onboarding.Progress{},
	&pricing.Visitor{}, &model.Call{}, &discountMonth{}, &pricing.Decision{}, &checkout.Checkout{}, &paymentEvent{}, &reconciliation{},
	&schedule.PostingTimes{}, &schedule.RecurringPost{}, &schedule.ScheduledTime{},
	&generation.Generation{}, &generation.Candidate{}, &generation.Vote{},
	&chaos.Run{}, &chaos.Part{}, &chaos.HistoryCheck{}, &heal.Incident{}, &heal.TargetState{},
	&verification.Run{}, &verification.Baseline{}, &verification.Shot{}, &verification.Day{}, &verification.BrowserState{}, &verification.TargetScreenshot{},
	&experiment.Experiment{}, &experimentNumber{}, &experiment.Vote{}, &experiment.FounderVote{}, &experiment.Note{},
	&account.Deletion{},
}

// TestModelsAndSchemasAgree compares the columns of models and of both schemas: a column missing in one
// dialect would otherwise show in production only.
// Proves: S-zero-values
func TestModelsAndSchemasAgree(t *testing.T) {
	t.Parallel()
	eachEmpty(t, func(t *testing.T, s *DB) {
		for _, model := range models {
			parsed := &gorm.Statement{DB: s.gorm}
			require.NoError(t, parsed.Parse(model))
			columns, err := s.gorm.Migrator().ColumnTypes(model)
			require.NoError(t, err)
			var have []string
			for _, column := range columns {
				have = append(have, column.Name())
				field := parsed.Schema.LookUpField(column.Name())
				require.NotNil(t, field, "%s.%s has no field", parsed.Schema.Table, column.Name())
				nullable, known := column.Nullable()
				require.True(t, known)
				if s.gorm.Name() == "postgres" { // SQLite reports the nullability of primary keys differently
					require.Equal(t, field.FieldType.Kind().String() == "ptr", nullable, "%s.%s", parsed.Schema.Table, column.Name())
				}
			}
			require.ElementsMatch(t, parsed.Schema.DBNames, have, parsed.Schema.Table)
		}
	})
}

func TestMigrateTwiceChangesNothingAndANewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	eachEmpty(t, func(t *testing.T, s *DB) {
		require.NoError(t, s.Migrate(t.Context()))
		require.NoError(t, s.CheckSchema(t.Context()))
		require.NoError(t, s.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`))
		require.ErrorContains(t, s.CheckSchema(t.Context()), "newer than this program")
		require.ErrorContains(t, s.Migrate(t.Context()), "newer than this program")
	})
}

func TestUnmigratedSchemaIsRefused(t *testing.T) {
	t.Parallel()
	s, err := Open(testdb.Address(t, "sqlite"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.ErrorContains(t, s.CheckSchema(t.Context()), "run customerzero migrate")
}

// TestConcurrentMigrations lets every instance migrate: one runs, and the others wait.
// Proves: F26
func TestConcurrentMigrations(t *testing.T) {
	t.Parallel()
	address := testdb.Address(t, "postgres")
	var migrating errgroup.Group
	for range 6 {
		s, err := Open(address)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		migrating.Go(func() error {
			if err := s.Migrate(t.Context()); err != nil {
				return err
			}
			return s.CheckSchema(t.Context())
		})
	}
	require.NoError(t, migrating.Wait())
}

// TestAppliedMigrationsDoNotChange pins migrations, because a changed one would reach new databases
// only.
func TestAppliedMigrationsDoNotChange(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"postgres/00001_baseline.sql":  "e638ca6720d1da7df4c9678530ae611c8ac85a352f840aae85748de476b9b021",
		"sqlite/00001_baseline.sql":    "cea987af3d8b9764a1a3154d662fe2c0fccda575f737b985fcf43c09694b91b0",
		"postgres/00002_claims.sql":    "b17107a0a28b7598374d2f83b9c06db50aef5171c902c884e95b87d2b18d3fc7",
		"sqlite/00002_claims.sql":      "b17107a0a28b7598374d2f83b9c06db50aef5171c902c884e95b87d2b18d3fc7",
		"postgres/00003_models.sql":    "79f748d05155ba36000589b19be43e314131b766ebe0495dadee474c86ff9426",
		"sqlite/00003_models.sql":      "79f748d05155ba36000589b19be43e314131b766ebe0495dadee474c86ff9426",
		"postgres/00004_money.sql":     "bdfda5862c704461aaf0960a9f02280c5b5f93e5791f680faa3b92b1132dc037",
		"sqlite/00004_money.sql":       "807e58a6a97f4fe7a67846b52e87085e845d46945f18d56d58334fcf94aada46",
		"postgres/00005_access.sql":    "e86e21740ac4eb6dda9774bf0b6bc166187f0768ca726ee29519fa49a4bb0020",
		"sqlite/00005_access.sql":      "cf31c00f94b9e9ada2f556806269c0d0a6a3969c185f699c4c897bd23d586fc0",
		"postgres/00006_open_rows.sql": "c7c76e7f93f6e1b270d6e152094cac39bb01cb0011537780e32b17c65a61e110",
		"sqlite/00006_open_rows.sql":   "47d107e92e2e178dde7f6747590f10ead525da33172c9d4c6432d6b9bae259b8",
	} {
		file, err := migrations.ReadFile("migrations/" + name)
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprintf("%x", sha256.Sum256(file)), "%s has changed: write the next migration instead", name)
	}
}

// TestFormulasAreNoModels checks that version 3 corrects what was stored of built-in prices and texts.
func TestFormulasAreNoModels(t *testing.T) {
	t.Parallel()
	for _, kind := range testdb.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s, err := Open(testdb.Address(t, kind))
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			provider, err := s.migrator()
			require.NoError(t, err)
			_, err = provider.UpTo(t.Context(), 2)
			require.NoError(t, err)
			for _, row := range []string{
				`INSERT INTO model_calls SELECT 'call', 'price', 'price.v1', 'builtin-1', '', '', 'answered', '', 0, 0, 0, true, 0, '2026-11-20'`,
				`INSERT INTO price_decisions SELECT id, NULL, NULL, false, true, '', 1, 1, true, false, 'new_visitor', 'model', call_id, model, 'price.v1', 10, '', '', '', 900,
					10, 810, NULL, 0, 'decided', '2026-11-20', '2026-11-20', '2026-11-21' FROM (SELECT 'rules' AS id, 'call' AS call_id, 'builtin-1' AS model
					UNION ALL SELECT 'model', 'call', 'openai:gpt-5') AS d`,
				`INSERT INTO generations (id, voice, topic, facts, blind, run_id, created_at) VALUES ('g', 'founder', 'mugs', '[]', true, '', '2026-11-20')`,
				`INSERT INTO generation_candidates (id, generation_id, label, model, prompt, state, text, code, reason, chosen, ended_at)
					SELECT model, 'g', model, model, 'tweet.v1', 'done', 'hi', '', '', false, '2026-11-20' FROM
					(SELECT 'builtin-1' AS model UNION ALL SELECT 'builtin-brief-1' UNION ALL SELECT 'openai:gpt-5') AS c`,
				`INSERT INTO posts (id, text, made_with_ai, status, code, reason, scheduled_at, attempt, unclear_attempts, reservations, url, likes, reposts, replies,
					quotes, run_id, version, created_at, updated_at, candidate_id) SELECT model, 'hi', true, 'cancelled', '', '', '2026-11-20', 0, 0, 0, '', 0, 0, 0, 0, '', 1,
					'2026-11-20', '2026-11-20', model FROM generation_candidates`,
			} {
				require.NoError(t, s.Exec(row), row)
			}
			require.NoError(t, s.Migrate(t.Context()))
			for query, want := range map[string]int{
				`SELECT count(*) FROM price_decisions WHERE id = 'rules' AND source = 'rules' AND model = '' AND prompt = '' AND call_id IS NULL`: 1,
				`SELECT count(*) FROM price_decisions WHERE id = 'model' AND source = 'model' AND call_id = 'call'`:                               1,
				`SELECT count(*) FROM generation_candidates WHERE model IN ('template-1', 'template-brief-1') AND prompt = ''`:                    2,
				`SELECT count(*) FROM generation_candidates WHERE model = 'openai:gpt-5' AND prompt = 'tweet.v1'`:                                 1,
				`SELECT count(*) FROM posts WHERE made_with_ai`:                                                                                   1,
			} {
				require.Equal(t, want, s.Number(t, query), query)
			}
		})
	}
}

// rebuilt matches a table that SQLite rebuilds, because it cannot change a constraint.
var table, rebuilt = regexp.MustCompile(`(?s)CREATE TABLE (\w+) \((.*?)\n\);`), regexp.MustCompile(`(?s)CREATE TABLE \w+_new \(.*?\n\);`)

// splitRebuilt returns a migration without the tables that it rebuilds, and their constraints that are new. tables holds
// the constraints of the tables so far.
func splitRebuilt(text string, tables map[string][]string) (stays string, added []string) {
	for _, t := range table.FindAllStringSubmatch(text, -1) {
		name := strings.TrimSuffix(t[1], "_new")
		found := constraint.FindAllString(t[2], -1)
		if name != t[1] {
			added = append(added, slices.DeleteFunc(slices.Clone(found), func(c string) bool { return slices.Contains(tables[name], c) })...)
		}
		tables[name] = found
	}
	return rebuilt.ReplaceAllString(text, ""), added
}

var constraint = regexp.MustCompile(`\b(?:CHECK|REFERENCES|UNIQUE|PRIMARY KEY)\b.*`)

func TestBothSchemasHaveTheSameConstraints(t *testing.T) {
	t.Parallel()
	refusals := map[string][]string{}
	for _, kind := range testdb.Kinds {
		tables := map[string][]string{}
		files, err := fs.Glob(migrations, "migrations/"+kind+"/*.sql")
		require.NoError(t, err)
		for _, name := range files {
			text, err := migrations.ReadFile(name)
			require.NoError(t, err)
			stays, added := splitRebuilt(string(text), tables)
			refusals[kind] = append(refusals[kind], append(constraint.FindAllString(stays, -1), added...)...)
		}
	}
	require.Greater(t, len(refusals["sqlite"]), 300)
	ofCounts := []string{"CHECK (n >= 0),", "PRIMARY KEY (status, review, sponsored)"} // Postgres stores these as several rows
	require.ElementsMatch(t, append(refusals["postgres"], ofCounts...), refusals["sqlite"])
}

func openEmpty(t *testing.T, address string) *DB {
	t.Helper()
	s, err := Open(address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.Migrate(t.Context()))
	return s
}

func eachEmpty(t *testing.T, test func(t *testing.T, s *DB)) {
	t.Helper()
	for _, kind := range testdb.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, openEmpty(t, testdb.Address(t, kind)))
		})
	}
}

// TestEveryTableIsInADump checks that dumps contain exactly the tables that have a model.
func TestEveryTableIsInADump(t *testing.T) {
	t.Parallel()
	eachEmpty(t, func(t *testing.T, s *DB) {
		var want, have []string
		for _, model := range models {
			parsed := &gorm.Statement{DB: s.gorm}
			require.NoError(t, parsed.Parse(model))
			want = append(want, parsed.Schema.Table)
		}
		require.NoError(t, s.Snapshot(t.Context(), func(m *Snapshot) error {
			for _, table := range m.Tables {
				have = append(have, table.Name)
				_, err := table.order(s.gorm.Name())
				require.NoError(t, err, "every table has an order")
			}
			return nil
		}))
		slices.Sort(want)
		require.Equal(t, want, have)
	})
}

var fuzzTable = Table{"posts", []column{
	{"at", "datetime", -1}, {"bytes", "blob", -1}, {"done", "boolean", -1}, {"id", "text", 0}, {"number", "integer", -1}, {"share", "real", -1},
}}

// FuzzLine checks that a line accepted as a row is written as the same row.
func FuzzLine(f *testing.F) {
	const whole = `{"at":"2026-11-20T12:00:00.123456Z","bytes":"AAH/","done":true,"id":"a","number":-7,"share":0.5}`
	for _, line := range []string{
		whole, `{"at":null,"bytes":null,"done":null,"id":null,"number":null,"share":null}`, strings.Replace(whole, `"a"`, `{"base64":"/w=="}`, 1), strings.Replace(whole, `"a"`, `{}`, 1),
		strings.Replace(whole, "-7", "7.5", 1), strings.Replace(whole, "-7", "99999999999999999999", 1), strings.Replace(whole, "0.5", "1e999", 1), strings.Replace(whole, "0.5", "-0.0", 1),
		strings.Replace(whole, ".123456Z", ".123456789+14:00", 1), strings.Replace(whole, "AAH/", "A", 1), `{}`, `[]`, `null`, ``, whole + whole, strings.Replace(whole, `"id"`, `"ID"`, 1),
		strings.Replace(whole, `"a"`, `"\ud800\u0000\u2028<"`, 1), strings.Replace(whole, "2026", "0000", 1),
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		row, err := fuzzTable.row(line)
		if err != nil {
			return
		}
		written := lineOf(t, row)
		again, err := fuzzTable.row(written)
		require.NoError(t, err)
		require.Equal(t, string(written), string(lineOf(t, again)))
		if at, ok := row["at"].(time.Time); ok {
			require.WithinDuration(t, at, again["at"].(time.Time), time.Microsecond)
			again["at"] = at
		}
		require.Equal(t, row, again)
	})
}

func lineOf(t *testing.T, row map[string]any) []byte {
	t.Helper()
	given := map[string]any{}
	for _, c := range fuzzTable.columns {
		cell := kinds[c.kind].cell()
		require.NoError(t, cell.(sql.Scanner).Scan(row[c.name]))
		given[c.name] = encoded(cell)
	}
	line, err := json.Marshal(given)
	require.NoError(t, err)
	return line
}
