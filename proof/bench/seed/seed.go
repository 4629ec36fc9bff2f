// Package seed fills a new database with what a product leaves behind that has run for long: a
// thousand posts are six weeks of the five hundred a month that may go out, and a hundred thousand are
// fourteen years. However much there is, the last weeks are the same, so that what takes
// longer does so because of what is older.
//
// It speaks SQL and knows the schema; it is for benchmarks and for the tests that read plans.
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

// World is how much there is of what.
type World struct {
	Posts   int
	Members int
	Others  int // of everything else that grows: letters, chaos runs, the audit log, who never paid …
	Now     time.Time
}

// The founder can log in at once: the session's token is known.
const (
	Founder      = "founder_one"
	FounderX     = "seeded-founder"
	FounderToken = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
)

//go:embed world.sql.tmpl
var statements string

// Fill writes all of it, in one transaction. dialect is "postgres" or "sqlite".
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

// script is the statements as the database wants them.
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
