package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"time"

	"github.com/rs/xid"

	"customerzero/proof/bench/seed"
	"customerzero/proof/crash/rig"
)

const (
	// growthTarget is the allowed slowdown with a hundred times as many posts.
	growthTarget = 1.5
	doctorTarget = 2.0 // seconds
)

// A small and a large product are compared: 100,000 posts, of which 8 of 10 are published, are about 14 years.
const (
	youngPosts = 1_000
	oldPosts   = 100_000
)

const (
	growthRounds = 30 // many, because responses of a few milliseconds vary
	growthPosts  = 8  // within the month's slots
	doctorRounds = 5
)

// seededProduct is a product with many seeded posts.
type seededProduct struct {
	posting
	posts int
}

// growth sends the same requests to a small and a large product in turns, so that other load slows both.
func (b *bench) growth(ctx context.Context) (found []figure, err error) {
	x, err := rig.StartX(nil)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	for _, kind := range kinds() {
		err := b.grown(ctx, kind, youngPosts, x, func(young *seededProduct) error {
			return b.grown(ctx, kind, oldPosts, x, func(old *seededProduct) error {
				some, err := compareAges(ctx, kind, []*seededProduct{young, old})
				found = append(found, some...)
				return err
			})
		})
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// grown runs do with a seeded product. The product starts once before the seeding to create its database and keys.
func (b *bench) grown(ctx context.Context, kind string, posts int, x *rig.X, do func(e *seededProduct) error) error {
	settings := append(x.Settings(), "FOUNDERS="+seed.Founder)
	return b.onDatabase(ctx, kind, settings, func(up *upProduct, database string) error {
		if err := up.stop(); err != nil {
			return err
		}
		if err := seedWorld(ctx, database, aged(posts)); err != nil {
			return err
		}
		if _, err := up.start(ctx); err != nil {
			return err
		}
		e := &seededProduct{posting{up: up, x: x}, posts}
		if err := e.meet(ctx); err != nil {
			return err
		}
		defer e.temporal.Close()
		return do(e)
	})
}

func seedWorld(ctx context.Context, database string, w seed.World) (err error) {
	db, dialect, err := open(database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := seed.Fill(ctx, db, dialect, w); err != nil || dialect == "sqlite" {
		return err
	}
	_, err = db.ExecContext(ctx, "VACUUM ANALYZE") // as autovacuum would do later
	return err
}

// aged describes a database with this many posts. The current month stays free for measured posts.
func aged(posts int) seed.World {
	return seed.World{Posts: posts, Members: 10_000, Others: posts / 10, Now: thisMonth()}
}

func thisMonth() time.Time {
	now := time.Now().UTC()
	return time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
}

type question struct {
	what    string
	path    string
	founder bool
	body    any // makes it a POST
}

// questions are requests of the pages. The offset of a list's last page depends on the number of posts.
func questions(posts int) []question {
	month := aged(posts).Now
	stretch := url.Values{"from": {month.AddDate(0, -1, 0).Format(time.RFC3339)}, "to": {month.AddDate(0, 0, 7).Format(time.RFC3339)}}
	return []question{
		{what: "the newest posts", path: "/api/bot-posts?limit=20"},
		{what: "the queue, newest first", path: "/api/posts?limit=50"},
		{what: "the queue, failed and cancelled", path: "/api/posts?limit=50&status=failed,cancelled"},
		{what: "the queue, rejected drafts, for founders", path: "/api/posts?limit=20&review=rejected", founder: true},
		{what: "one post", path: "/api/posts/p00000007"},
		{what: "the calendar of five weeks", path: "/api/schedule?" + stretch.Encode()},
		{what: "the month's slots", path: "/api/schedule/budget?month=" + month.AddDate(0, -1, 0).Format("2006-01")},
		{what: "the dashboard's figures", path: "/api/stats"},
		{what: "the treasury", path: "/api/treasury"},
		{what: "experiments, searched", path: "/api/experiments?q=know&limit=20"},
		{what: "the feed of posts", path: "/feeds/posts.xml"},
		{what: "chaos runs that failed", path: "/api/chaos/runs?verdict=failed"},
		{what: "incidents", path: "/api/chaos/incidents"},
		{what: "the next free time, for founders", path: "/api/posting-times/next", founder: true},
		{what: "texts similar to a draft, for founders", path: "/api/posts/check", founder: true, body: map[string]string{"content": "Post 7. We wrote down what we learnt."}},
		{what: "purchases, for founders", path: "/api/checkouts?limit=20", founder: true},
		{what: "the audit log, for founders", path: "/api/admin/audit?limit=20", founder: true},
		{what: "the metrics", path: "/metrics"},
		{what: "the last page of published posts", path: fmt.Sprintf("/api/bot-posts?limit=20&offset=%d", posts*8/10-20)},
	}
}

func (e *seededProduct) answer(ctx context.Context, q question) (time.Duration, error) {
	method := http.MethodGet
	if q.body != nil {
		method = http.MethodPost
	}
	who := callerOf(e.up.site, http.Header{})
	if q.founder {
		who.Header.Set("Cookie", "session="+seed.FounderToken)
	}
	began := time.Now()
	err := ask(ctx, who, method, q.path, q.body, nil)
	return time.Since(began), err
}

func (e *seededProduct) examine(ctx context.Context) (time.Duration, error) {
	doctor := exec.CommandContext(ctx, e.up.bin, "doctor")
	doctor.Env = e.up.running.Env
	began := time.Now()
	if output, err := doctor.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("customerzero doctor: %w\n%s", err, output)
	}
	return time.Since(began), nil
}

func compareAges(ctx context.Context, kind string, old []*seededProduct) (found []figure, err error) {
	asked := make([][]question, len(old))
	for i, e := range old {
		asked[i] = questions(e.posts)
	}
	for n, q := range asked[0] {
		times, err := inTurns(ctx, old, growthRounds, func(i int) (time.Duration, error) { return old[i].answer(ctx, asked[i][n]) })
		if err != nil {
			return found, err
		}
		found = append(found, growthFigure(kind, q.what, old, times))
	}
	posts, err := inTurns(ctx, old, growthPosts, func(i int) (time.Duration, error) {
		began := time.Now()
		err := old[i].publish(ctx, "A post "+xid.New().String())
		return time.Since(began), err
	})
	if err != nil {
		return found, err
	}
	found = append(found, growthFigure(kind, "a post, from the request to the end of its run", old, posts))
	if kind != "SQLite" { // doctor reports that the tests' Postgres does not wait for the disk
		return found, nil
	}
	examined, err := inTurns(ctx, old, doctorRounds, func(i int) (time.Duration, error) { return old[i].examine(ctx) })
	if err != nil {
		return found, err
	}
	last := len(old) - 1
	return append(found, figure{
		Subject: "Operations", What: fmt.Sprintf("customerzero doctor with %d posts, median", old[last].posts), Unit: "s",
		Ours: at(examined[last], 0.5).Seconds(), Target: atMost(doctorTarget),
	}), nil
}

// inTurns measures each product in turns, after one warm-up round.
func inTurns(ctx context.Context, old []*seededProduct, rounds int, take func(i int) (time.Duration, error)) (times [][]time.Duration, err error) {
	times = make([][]time.Duration, len(old))
	for round := range rounds + 1 {
		for i := range old {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			took, err := take(i)
			if err != nil {
				return nil, fmt.Errorf("with %d posts: %w", old[i].posts, err)
			}
			if round > 0 {
				times[i] = append(times[i], took)
			}
		}
	}
	return times, nil
}

func growthFigure(kind, what string, old []*seededProduct, times [][]time.Duration) figure {
	last := len(old) - 1
	return figure{
		Subject: "Growth, " + kind, What: fmt.Sprintf("%s, %d posts", what, old[last].posts), Unit: "ms",
		Beside: fmt.Sprintf("%d posts", old[0].posts), Baseline: inMS(at(times[0], 0.5)), Ours: inMS(at(times[last], 0.5)), Target: atMost(growthTarget),
	}
}
