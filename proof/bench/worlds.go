package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// world is a product with people and posts, and a floor on the same database.
type world struct {
	kind     string // of the database, as tables name it
	database string
	up       *upProduct
	floor    *floorServer
	key      string // the founders'
	page     string // the landing page, in a file
}

// contest is one question to both.
func (w *world) contest(b *bench, subject, what, beside string, floor, ours load) contest {
	floor.address, ours.address = w.floor.address, hostOf(w.up.site)
	return contest{
		subject: subject + ", " + w.kind, what: what, beside: beside, turn: b.turn,
		floor: side{load: floor, pid: w.floor.pid()}, ours: side{load: ours, pid: w.up.running.Process.Pid},
	}
}

// inWorlds measures something on every kind of database that there is.
func (b *bench) inWorlds(ctx context.Context, measure func(ctx context.Context, w *world) ([]figure, error)) (all []figure, err error) {
	err = b.inWorld(ctx, &world{kind: "SQLite"}, func(w *world) error {
		found, err := measure(ctx, w)
		all = append(all, found...)
		return err
	})
	server := os.Getenv("TEST_DATABASE_URL")
	if err != nil || server == "" {
		return all, err
	}
	return all, onPostgres(ctx, server, func(database string) error {
		return b.inWorld(ctx, &world{kind: "Postgres", database: database}, func(w *world) error {
			found, err := measure(ctx, w)
			all = append(all, found...)
			return err
		})
	})
}

func (b *bench) inWorld(ctx context.Context, w *world, do func(w *world) error) error {
	var settings []string
	if w.database != "" {
		settings = []string{"DATABASE_URL=" + w.database}
	}
	return b.onFresh(ctx, func(up *upProduct) error {
		w.up = up
		if w.database == "" {
			w.database = "sqlite:" + filepath.Join(up.data, "customerzero.db")
		}
		if err := w.furnish(ctx); err != nil {
			return err
		}
		floor, err := startFloor(ctx, w.database, temporalOf(up), w.page)
		if err != nil {
			return err
		}
		w.floor = floor
		defer func() { _ = floor.stop() }() // its figures are there
		return do(w)
	}, settings...)
}

func (w *world) furnish(ctx context.Context) error {
	key, err := os.ReadFile(filepath.Join(w.up.data, "admin-key"))
	if err != nil {
		return err
	}
	w.key = strings.TrimSpace(string(key))
	landing, _, err := get(ctx, w.up.site+"/")
	if err != nil {
		return err
	}
	w.page = filepath.Join(w.up.data, "landing.html")
	return os.WriteFile(w.page, landing, 0o600)
}

// temporalOf is where a product's Temporal server listens.
func temporalOf(up *upProduct) string {
	var where struct{ Temporal string }
	if text, err := os.ReadFile(filepath.Join(up.data, "up.json")); err == nil {
		_ = json.Unmarshal(text, &where)
	}
	return where.Temporal
}

// onPostgres lends a database of a server.
func onPostgres(ctx context.Context, server string, do func(database string) error) (err error) {
	address, err := url.Parse(server)
	if err != nil {
		return errors.New("TEST_DATABASE_URL cannot be read") // it may hold a password
	}
	pool, err := sql.Open("pgx", server)
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	name := fmt.Sprintf("bench_%d", time.Now().UnixNano())
	if _, err := pool.ExecContext(ctx, "CREATE DATABASE "+name); err != nil {
		return err
	}
	defer func() {
		_, errDrop := pool.ExecContext(context.WithoutCancel(ctx), "DROP DATABASE "+name+" WITH (FORCE)")
		err = errors.Join(err, errDrop)
	}()
	address.Path = "/" + name
	return do(address.String())
}
