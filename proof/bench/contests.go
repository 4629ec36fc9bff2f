package main

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// The baseline uses GORM as well, so these bound what the product adds to it.
const (
	readTarget   = 0.85
	readPatience = 1.3 // of the p99
	keptTarget   = 0.5 // of a page from memory
)

const newestPosts = "/api/posts?limit=50"

// reads measures public pages: a page of posts, the same page unchanged, and the landing page.
func (b *bench) reads(ctx context.Context) ([]figure, error) {
	return b.inWorlds(ctx, func(ctx context.Context, w *world) ([]figure, error) {
		if err := populate(ctx, w.database); err != nil {
			return nil, err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.up.site+newestPosts, http.NoBody)
		if err != nil {
			return nil, err
		}
		first, err := connections.RoundTrip(request)
		if err != nil {
			return nil, err
		}
		_ = first.Body.Close()
		known := "If-None-Match: " + first.Header.Get("ETag")
		unchanged := load{ask: always(wire(http.MethodGet, newestPosts, "", known)), want: http.StatusNotModified}
		const orm, memory = "Gin and GORM, the same rows", "Gin, the page from memory"
		page, kept, landing := fetch(newestPosts), "the same page, unchanged (304)", "the landing page"
		contests := []contest{
			{what: "a page of 50 posts", beside: orm, baseline: fetch("/gorm/posts"), ours: page, atOnce: 1, rate: atLeast(readTarget)},
			{what: "a page of 50 posts", beside: orm, baseline: fetch("/gorm/posts"), ours: page, atOnce: 16, rate: atLeast(readTarget), wait: atMost(readPatience)},
			{what: kept, beside: memory, baseline: fetch("/memory/posts"), ours: side{load: unchanged}, atOnce: 16, rate: atLeast(keptTarget)},
			{what: landing, beside: memory, baseline: fetch("/page"), ours: fetch("/"), atOnce: 16, rate: atLeast(keptTarget)},
		}
		if w.kind != "SQLite" { // the landing page reads no database
			contests = contests[:3]
		}
		return w.holdAll(ctx, "Public reads", contests...)
	})
}

func fetch(path string) side {
	return side{load: load{ask: always(wire(http.MethodGet, path, "")), want: http.StatusOK}}
}

// The product checks the session, the membership, the limit and the experiment's state for each vote; the
// baseline checks nothing.
const (
	voteTarget = 0.6
	hotTarget  = 1.0
)

// votes measures votes on 20 experiments, and on a single one.
func (b *bench) votes(ctx context.Context) ([]figure, error) {
	return b.inWorlds(ctx, func(ctx context.Context, w *world) ([]figure, error) {
		if err := populate(ctx, w.database); err != nil {
			return nil, err
		}
		const beside, many, one = "Gin and SQL: the vote and the count, in one transaction", "votes on 20 experiments", "votes on one experiment"
		return w.holdAll(ctx, "Votes",
			contest{what: many, beside: beside, baseline: baselineVote(seededExperiments), ours: ourVote(seededExperiments), atOnce: 1, rate: atLeast(voteTarget)},
			contest{what: many, beside: beside, baseline: baselineVote(seededExperiments), ours: ourVote(seededExperiments), atOnce: 16, rate: atLeast(voteTarget)},
			contest{what: one, beside: beside, baseline: baselineVote(1), ours: ourVote(1), atOnce: 16, rate: atLeast(hotTarget)})
	})
}

// ballotOf returns the n-th vote. Each member alternates between up and down on each experiment.
func ballotOf(n int64, experiments int) (voter int, subject string, value int) {
	voter = int(n % seededMembers)
	turn := int(n / seededMembers)
	return voter, subjectOfVotes((turn + voter) % experiments), 1 - 2*((turn/experiments+voter)%2)
}

func baselineVote(experiments int) side {
	return side{load: load{want: http.StatusOK, ask: func(n int64) []byte {
		who, subject, value := ballotOf(n, experiments)
		return wire(http.MethodPost, "/votes", fmt.Sprintf(`{"experimentId":%q,"memberId":%q,"vote":%d}`, subject, voter(who), value))
	}}}
}

func ourVote(experiments int) side {
	return side{load: load{want: http.StatusOK, ask: func(n int64) []byte {
		who, subject, value := ballotOf(n, experiments)
		return wire(http.MethodPost, "/api/experiments/vote", fmt.Sprintf(`{"experimentId":%q,"vote":%d}`, subject, value),
			"Cookie: session="+sessionToken(who))
	}}}
}

const (
	slotTarget    = 0.6
	slotsOfMonth  = 500
	slotsAskedFor = 600
	slotsTaken    = 400 // of a month, before the next month is used
)

// slots measures scheduling posts: each takes a slot of its month and starts a workflow.
func (b *bench) slots(ctx context.Context) ([]figure, error) {
	return b.inWorlds(ctx, func(ctx context.Context, w *world) (all []figure, err error) {
		year := &calendar{from: time.Now().UTC()}
		const bare, scheduled = "Gin and SQL: one guarded UPDATE", "slots of scheduled posts"
		ours, target := year.ours(w.key), atLeast(slotTarget)
		all, err = w.holdAll(ctx, "Slots",
			contest{what: scheduled, beside: bare, baseline: year.baseline("/slots"), ours: ours, atOnce: 1, rate: target},
			contest{what: scheduled, beside: bare, baseline: year.baseline("/slots"), ours: ours, atOnce: 16, rate: target},
			contest{what: "the same, each with its workflow", beside: bare + ", and the start of a workflow", baseline: year.baseline("/slots/flows"), ours: ours, atOnce: 16, rate: target})
		if err != nil {
			return all, err
		}
		granted, err := year.exhaust(ctx, w)
		return append(all, granted), err
	})
}

type calendar struct {
	from             time.Time
	baselines, posts atomic.Int64
}

func (y *calendar) baseline(path string) side {
	return side{load: load{want: http.StatusCreated, ask: func(n int64) []byte {
		month := y.baselines.Add(1) / slotsTaken
		return wire(http.MethodPost, path, fmt.Sprintf(`{"id":"%d","month":"baseline-%d","content":"Post %d"}`, n, month, n))
	}}}
}

// ours takes slots of the next months, except the last of the year.
func (y *calendar) ours(key string) side {
	return side{load: load{want: http.StatusCreated, ask: func(n int64) []byte {
		return y.post(key, n, 1+int(y.posts.Add(1)/slotsTaken))
	}}}
}

func (y *calendar) post(key string, n int64, month int) []byte {
	at := time.Date(y.from.Year(), y.from.Month()+time.Month(month), 2, 12, 0, 0, 0, time.UTC)
	return wire(http.MethodPost, "/api/posts", fmt.Sprintf(`{"content":"Post %d","scheduledAt":%q}`, n, at.Format(time.RFC3339)), "X-Admin-Key: "+key)
}

const lastMonth = 11 // of those ahead for which posts can be scheduled

// exhaust requests more slots of a month than there are.
func (y *calendar) exhaust(ctx context.Context, w *world) (figure, error) {
	rush := load{
		address: hostOf(w.up.site), atOnce: 16, want: http.StatusCreated, most: slotsAskedFor,
		ask: func(n int64) []byte { return y.post(w.key, n, lastMonth) },
	}
	got, err := rush.run(ctx, time.Minute, &asked)
	granted, refused := len(got.waited), got.others[http.StatusTooManyRequests]
	if err == nil && (granted > slotsOfMonth || granted+refused != slotsAskedFor) {
		err = fmt.Errorf("of %d slots of a month, %d were granted and %d refused; other statuses: %v", slotsOfMonth, granted, refused, got.others)
	}
	return figure{
		Subject: "Slots, " + w.kind, What: fmt.Sprintf("granted of %d requested at once", slotsAskedFor), Unit: "slots",
		Ours: float64(granted), Target: atLeast(slotsOfMonth),
	}, err
}
