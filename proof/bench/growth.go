package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/xid"
	"golang.org/x/sync/errgroup"
)

// growthTarget is how much longer anything may take when there is a hundred times as much, or a
// thousand times.
const growthTarget = 1.5

// worldsOfPosts are compared, with the first of them. A million are what goes out in a hundred and forty years.
var worldsOfPosts = []int{1_000, 100_000, 1_000_000}

const (
	growthRounds = 15
	growthAgain  = 2 // times as many, when a target is missed
	growthPosts  = 8 // for each of which a month must have room
)

// growth asks products the same that differ in how much there is. They run side by side and are
// asked in turns, so that whatever else the machine does slows all of them.
func (b *bench) growth(ctx context.Context) (found []figure, err error) {
	x, err := startX()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	kinds := []*generations{{kind: "SQLite", database: func() (string, func() error, error) { return "", nothing, nil }}}
	if server := os.Getenv("TEST_DATABASE_URL"); server != "" {
		kinds = append(kinds, &generations{kind: "Postgres", database: func() (string, func() error, error) { return newDatabase(ctx, server) }})
	}
	defer func() {
		for _, g := range kinds {
			err = errors.Join(err, g.end())
		}
	}()
	var raising errgroup.Group // nothing is measured yet
	for _, g := range kinds {
		raising.Go(func() error { return g.raise(ctx, b, x) })
	}
	if err := raising.Wait(); err != nil {
		return nil, err
	}
	for _, g := range kinds {
		some, err := g.measure(ctx)
		found = append(found, some...)
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

func nothing() error { return nil }

// newDatabase makes an empty database on a server, and a way to get rid of it.
func newDatabase(ctx context.Context, server string) (address string, drop func() error, err error) {
	admin, err := sql.Open("pgx", server)
	if err != nil {
		return "", nil, err
	}
	name := "bench_" + xid.New().String()
	if _, err := admin.ExecContext(ctx, "CREATE DATABASE "+name); err != nil {
		return "", nil, errors.Join(err, admin.Close())
	}
	there, err := url.Parse(server)
	if err != nil {
		return "", nil, errors.Join(err, admin.Close())
	}
	there.Path = "/" + name
	return there.String(), func() error {
		_, err := admin.Exec("DROP DATABASE " + name + " WITH (FORCE)")
		return errors.Join(err, admin.Close())
	}, nil
}

// generations are products of different ages on one kind of database.
type generations struct {
	kind     string
	database func() (address string, drop func() error, err error) // makes one; empty: the product's own file
	old      []*elder
}

func (g *generations) raise(ctx context.Context, b *bench, x *xStandIn) error {
	for _, posts := range worldsOfPosts {
		e, err := b.raise(ctx, posts, x, g.database)
		if err != nil {
			return err
		}
		g.old = append(g.old, e)
	}
	return nil
}

// measure wakes them, asks them, and lets them sleep again, so that no other is asked beside them.
func (g *generations) measure(ctx context.Context) (found []figure, err error) {
	var waking errgroup.Group
	for _, e := range g.old {
		waking.Go(func() error { return e.wake(ctx) })
	}
	if err = waking.Wait(); err == nil {
		found, err = compareAges(ctx, g.kind, g.old)
	}
	return found, errors.Join(err, g.end())
}

func (g *generations) end() (err error) {
	for _, e := range g.old {
		err = errors.Join(err, e.end())
	}
	g.old = nil
	return err
}

// elder is a product with a past.
type elder struct {
	posting
	posts int
	clear []func() error
	awake bool
	first time.Duration // the treasury's first answer: it reads the texts of all posts
}

// raise gives a product its past. It starts once before, to make its database and its keys.
func (b *bench) raise(ctx context.Context, posts int, x *xStandIn, database func() (string, func() error, error)) (*elder, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	e := &elder{posts: posts, clear: []func() error{func() error { return os.RemoveAll(dir) }}}
	address, drop, err := database()
	if err != nil {
		return nil, errors.Join(err, e.end())
	}
	e.clear = append(e.clear, drop)
	e.x = x
	e.up = &upProduct{bin: b.product, server: b.server, data: filepath.Join(dir, "up"), settings: append(x.settings(), "FOUNDERS=founder_one")}
	if address != "" {
		e.up.settings = append(e.up.settings, settingDatabase+address)
	}
	if _, err := e.up.start(ctx); err != nil {
		return nil, errors.Join(err, e.end())
	}
	if err := e.up.stop(); err != nil {
		return nil, errors.Join(err, e.end())
	}
	began := time.Now()
	if err := seedWorld(ctx, e.up, aged(posts)); err != nil {
		return nil, errors.Join(err, e.end())
	}
	fmt.Fprintf(os.Stderr, "%d posts were written in %v\n", posts, time.Since(began).Round(time.Second))
	return e, nil
}

func (e *elder) wake(ctx context.Context) error {
	if _, err := e.up.start(ctx); err != nil {
		return err
	}
	e.awake = true
	if err := e.meet(ctx); err != nil {
		return err
	}
	var err error
	e.first, err = e.answer(ctx, question{path: "/api/treasury"})
	return err
}

func (e *elder) end() (err error) {
	if e.temporal != nil {
		e.temporal.Close()
	}
	if e.awake {
		err = e.up.stop()
	}
	for _, clear := range e.clear {
		err = errors.Join(err, clear())
	}
	return err
}
