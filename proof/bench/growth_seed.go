package main

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // "pgx": Postgres
	_ "modernc.org/sqlite"             // "sqlite"

	"customerzero/proof/bench/seed"
)

// settingDatabase names another database than the file that the product makes for itself.
const settingDatabase = "DATABASE_URL="

// rowsOf opens the product's database.
func rowsOf(up *upProduct) (db *sql.DB, dialect string, err error) {
	for _, setting := range up.settings {
		if address, named := strings.CutPrefix(setting, settingDatabase); named {
			db, err = sql.Open("pgx", address)
			return db, "postgres", err
		}
	}
	file := url.URL{Path: filepath.Join(up.data, "customerzero.db")}
	db, err = sql.Open("sqlite", "file:"+file.EscapedPath()+"?_pragma=busy_timeout(60000)&_pragma=synchronous(OFF)&_txlock=immediate")
	return db, "sqlite", err
}

// seedWorld writes what is left of years. The product may run, unless it is much.
func seedWorld(ctx context.Context, up *upProduct, w seed.World) (err error) {
	db, dialect, err := rowsOf(up)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := seed.Fill(ctx, db, dialect, w); err != nil || dialect == "sqlite" {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM ANALYZE") // as the server does by itself, some time later
	return err
}

// seedYear writes a year of as many posts as may go out.
func seedYear(ctx context.Context, up *upProduct) error {
	return seedWorld(ctx, up, aged(7_500))
}

// aged is a world of so many posts. This month is left free: what is measured posts, too.
func aged(posts int) seed.World {
	now := time.Now().UTC()
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	return seed.World{Posts: posts, Members: 10_000, Others: posts / 10, Now: month}
}
