// Package seed fills a new database with the rows of a product that has run for long: 1,000 posts are about seven
// weeks, 100,000 about 14 years. The most recent weeks are the same for every size, so that a slower query is slower
// because of older rows.
//
// It writes SQL for the product's schema, for benchmarks and for tests of query plans.
package seed

import (
	"context"
	"crypto/sha256"
	"database/sql"
	_ "embed"
	"encoding/hex"
	"fmt"
	"strings"
	"text/template"
	"time"
)

// World is the number of rows of each kind.
type World struct {
	Posts   int
	Members int
	Others  int // of everything else that grows: e-mails, chaos runs, the audit log, unpaid checkouts …
	Now     time.Time
}

// The founder has a session with a known token.
const (
	Founder      = "founder_one"
	FounderX     = "seeded-founder"
	FounderToken = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
)

//go:embed world.sql.tmpl
var statements string

// Fill writes all rows in one transaction. dialect is "postgres" or "sqlite".
func Fill(ctx context.Context, db *sql.DB, dialect string, w World) error {
	script, err := w.script(dialect)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for _, statement := range script {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%w in: %.200s", err, statement)
		}
	}
	return tx.Commit()
}

// script returns the statements in a dialect.
func (w World) script(dialect string) ([]string, error) {
	words, known := dialects[dialect]
	if !known {
		return nil, fmt.Errorf("there is no dialect %q", dialect)
	}
	parsed, err := template.New("world").Funcs(words(w.Now.UTC().Format(time.DateTime))).Parse(statements)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256([]byte(FounderToken))
	var text strings.Builder
	err = parsed.Execute(&text, map[string]any{
		"Posts": w.Posts, "Members": w.Members, "Others": w.Others, "Purchases": max(w.Members, w.Others),
		"Founder": Founder, "FounderX": FounderX, "TokenHash": hex.EncodeToString(hash[:]),
	})
	if err != nil {
		return nil, err
	}
	return split(text.String()), nil
}

func split(text string) (statements []string) {
	for _, statement := range strings.Split(text, ";\n") {
		if strings.TrimSpace(statement) != "" {
			statements = append(statements, statement)
		}
	}
	return statements
}

// dialects are the template functions of each database. i is the number of a row.
var dialects = map[string]func(now string) template.FuncMap{
	"postgres": func(now string) template.FuncMap {
		return template.FuncMap{
			"rows": func(from, until int) string { return fmt.Sprintf("generate_series(%d, %d - 1) AS s(i)", from, until) },
			"id": func(prefix, number string) string {
				return fmt.Sprintf("('%s' || lpad((%s)::text, 8, '0'))", prefix, number)
			},
			"ago": func(minutes string) string {
				return fmt.Sprintf("(timestamptz '%s+00' - (%s) * interval '1 minute')", now, minutes)
			},
			"month": func(column string) string { return fmt.Sprintf("to_char(%s AT TIME ZONE 'UTC', 'YYYY-MM')", column) },
		}
	},
	"sqlite": func(now string) template.FuncMap {
		return template.FuncMap{
			"rows": func(from, until int) string {
				return fmt.Sprintf("(WITH RECURSIVE n(i) AS (SELECT %[1]d WHERE %[1]d < %[2]d UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %[2]d) SELECT i FROM n) AS s", from, until)
			},
			"id": func(prefix, number string) string {
				return fmt.Sprintf("('%s' || printf('%%08d', %s))", prefix, number)
			},
			"ago": func(minutes string) string {
				return fmt.Sprintf("strftime('%%Y-%%m-%%d %%H:%%M:%%S+00:00', '%s', printf('%%+d minutes', -(%s)))", now, minutes)
			},
			"month": func(column string) string { return fmt.Sprintf("substr(%s, 1, 7)", column) },
		}
	},
}
