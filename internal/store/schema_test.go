package store

import (
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"
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
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/domain/verification"
	"customerzero/internal/store/testdb"
)

// models are all structs that GORM maps to tables.
var models = []any{
	&member.Member{}, &member.CreditEntry{}, &post.Post{}, &post.Attempt{},
	&quotaMonth{}, &quotaSlot{}, &quotaShare{}, &readMonth{}, &engagementRead{}, &problem.ClientError{},
	&account.Account{}, &account.Session{}, &account.Code{}, &account.ActivationLink{}, &account.XLogin{}, &xHandle{},
	&secret{}, &rateWindow{}, &email.Message{}, &diagnostic.Run{}, &finding{},
	&bot.Connection{}, &bot.ProviderKeys{}, &botRow{}, &audit.Entry{}, &onboardingRow{},
	&pricing.Visitor{}, &model.Call{}, &discountMonth{}, &pricing.Decision{}, &checkout.Checkout{}, &paymentEvent{}, &reconciliation{},
	&schedule.PostingTimes{}, &schedule.RecurringPost{}, &schedule.ScheduledTime{},
	&generation.Generation{}, &generation.Candidate{}, &generation.Vote{},
	&chaos.Run{}, &chaos.Part{}, &chaos.HistoryCheck{}, &heal.Incident{}, &heal.TargetState{},
	&verification.Run{}, &verification.Baseline{}, &verification.Shot{}, &verification.Day{}, &verification.BrowserState{}, &verification.TargetScreenshot{},
	&experiment.Experiment{}, &experimentNumber{}, &experiment.Vote{}, &experiment.Note{},
	&account.Deletion{},
}

// The columns of models and of both migrated schemas must be the same: a forgotten column
// in one dialect would otherwise show in production only.
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
				if s.dialect == "postgres" { // SQLite reports the nullability of primary keys its own way
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

// Every replica may bring the schema up to date; one does, and the others wait for it.
// Proves: F26
func TestAnyNumberOfProcessesMigrateAtOnce(t *testing.T) {
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

func TestASchemaWithAGapIsRefused(t *testing.T) {
	t.Parallel()
	migration := func(version int64, state goose.State) *goose.MigrationStatus {
		return &goose.MigrationStatus{Source: &goose.Source{Version: version}, State: state}
	}
	known := []*goose.MigrationStatus{migration(1, goose.StateApplied), migration(2, goose.StatePending), migration(3, goose.StateApplied)}
	require.ErrorContains(t, checkVersions(3, known), "lacks version 2")
	require.NoError(t, checkVersions(1, known[:2]), "a pending migration at the end is no gap")
}

func openEmpty(t *testing.T, address string) *DB {
	t.Helper()
	s, err := Open(address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.Migrate(t.Context()))
	return s
}

// eachEmpty runs a test on a migrated database of each kind.
func eachEmpty(t *testing.T, test func(t *testing.T, s *DB)) {
	t.Helper()
	for _, kind := range testdb.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, openEmpty(t, testdb.Address(t, kind)))
		})
	}
}

// Whatever has a model is in a backup, and nothing else is in the database.
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
				_, err := table.order(s.dialect)
				require.NoError(t, err, "every table has an order")
			}
			return nil
		}))
		slices.Sort(want)
		require.Equal(t, want, have)
	})
}

var fuzzTable = Table{"posts", []column{
	{"at", kindTime, -1}, {"bytes", kindBytes, -1}, {"done", kindBoolean, -1}, {"id", kindText, 0}, {"number", kindInteger, -1}, {"share", kindReal, -1},
}}

// A line of a backup that is taken for a row is written again as the same row.
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
		values, err := fuzzTable.values(line)
		if err != nil {
			return
		}
		written, err := fuzzTable.line(nil, cellsOf(t, values))
		require.NoError(t, err)
		again, err := fuzzTable.values(written)
		require.NoError(t, err)
		twice, err := fuzzTable.line(nil, cellsOf(t, again))
		require.NoError(t, err)
		require.Equal(t, string(written), string(twice))
		require.Equal(t, values[1:], again[1:])
		if at, ok := values[0].(time.Time); ok {
			require.WithinDuration(t, at, again[0].(time.Time), time.Microsecond)
		}
	})
}

// cellsOf puts values where a database would have put them.
func cellsOf(t *testing.T, values []any) []any {
	t.Helper()
	cells := fuzzTable.cells()
	for i, value := range values {
		if into, ok := cells[i].(sql.Scanner); ok {
			require.NoError(t, into.Scan(value))
		} else if bytes, ok := value.([]byte); ok {
			*cells[i].(*[]byte) = bytes
		} else {
			*cells[i].(*[]byte) = nil
		}
	}
	return cells
}
