package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	// As the product opens its databases.
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"
)

const (
	seededMembers     = 200
	seededExperiments = 20
	seededPosts       = 500
	then              = "'2026-01-15 12:00:00+00:00'"
)

// populate writes members who are logged in, experiments that they may vote on, and a month of posts
// that went out, straight into a product's database: made through the API they would take hours.
func populate(ctx context.Context, database string) error {
	pool, _, err := open(database)
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for _, statement := range seedStatements() {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%.80s…: %w", statement, err)
		}
	}
	return tx.Commit()
}

// open opens a product's database, beside the product.
func open(database string) (pool *sql.DB, dialect string, err error) {
	if path, isFile := strings.CutPrefix(database, "sqlite:"); isFile {
		pool, err = sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(60000)&_pragma=synchronous(OFF)&_txlock=immediate")
		return pool, "sqlite", err
	}
	pool, err = sql.Open("pgx", database)
	return pool, "postgres", err
}

func seedStatements() []string {
	return []string{
		insert("members (id, username, username_key, status, payment_cents, joined_at)", seededMembers, func(i int) string {
			return fmt.Sprintf("'%s', 'voter_%d', 'voter_%d', 'active', 900, %s", voter(i), i, i, then)
		}),
		insert("accounts (id, x_handle, email, member_id, notices, created_at)", seededMembers, func(i int) string {
			return fmt.Sprintf("'account-%d', '', 'voter-%d@example.com', '%s', false, %s", i, i, voter(i), then)
		}),
		insert("sessions (id, account_id, token_hash, provider, scope, device, created_at, seen_at, expires_at)", seededMembers, func(i int) string {
			digest := sha256.Sum256([]byte(sessionToken(i)))
			return fmt.Sprintf("'session-%d', 'account-%d', '%s', 'email', '', 'a bench', %s, '2099-01-01 00:00:00+00:00', '2099-02-01 00:00:00+00:00'",
				i, i, hex.EncodeToString(digest[:]), then)
		}),
		insert("experiments (id, number, slug, title, problem, hypothesis, impact, difficulty, status, reason, progress, methodology, tech_stack, "+
			"success_metrics, origin, submitted_at, metric, verdict, workflow_id, run_id, version, updated_at)", seededExperiments, func(i int) string {
			return fmt.Sprintf("'%s', %d, '%s', 'Experiment %d', 'A problem.', 'A hypothesis.', 'An impact.', 'easy', 'planning', '', 0, '[]', '[]', "+
				"'[]', 'founder', %s, '', '', '', '', 1, %s", subjectOfVotes(i), 100+i, subjectOfVotes(i), i, then, then)
		}),
		"INSERT INTO quota_months (month, opened_at) VALUES ('2026-01', " + then + ")",
		insert("posts (id, member_id, text, made_with_ai, status, code, reason, scheduled_at, attempt, unclear, reservation, first_armed_at, armed_at, "+
			"published_at, tweet_id, url, likes, reposts, replies, quotes, run_id, version, created_at, updated_at)", seededPosts, func(i int) string {
			at := fmt.Sprintf("'2026-01-%02d %02d:%02d:00+00:00'", 1+i%28, i%24, i%60)
			return fmt.Sprintf("'post-%04d', '%s', 'The %d. post of a month. It says what most of them say, and is as long as most of them are.', false, "+
				"'published', '', '', %s, 1, 0, 1, %s, %s, %s, '%d', 'https://x.com/customerzerobot/status/%d', %d, 2, 1, 0, 'run-%d', 1, %s, %s",
				i, voter(i%seededMembers), i, at, at, at, at, 7000+i, 7000+i, i%50, i, at, at)
		}),
		insert("quota_slots (month, slot_no, state, post_id, member_id)", seededPosts, func(i int) string {
			return fmt.Sprintf("'2026-01', %d, 'spent', 'post-%04d', '%s'", i+1, i, voter(i%seededMembers))
		}),
	}
}

func insert(into string, rows int, values func(i int) string) string {
	all := make([]string, rows)
	for i := range all {
		all[i] = "(" + values(i) + ")"
	}
	return "INSERT INTO " + into + " VALUES " + strings.Join(all, ", ")
}

func voter(i int) string { return fmt.Sprintf("voter-%d", i) }

func subjectOfVotes(i int) string { return fmt.Sprintf("bench-%d", i) }

// sessionToken is what a voter's browser holds: of the form of the product's own.
func sessionToken(i int) string {
	digest := sha256.Sum256(fmt.Appendf(nil, "bench %d", i))
	return base64.RawURLEncoding.EncodeToString(digest[:])
}
