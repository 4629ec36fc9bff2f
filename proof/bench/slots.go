package main

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	slotTarget    = 0.6
	slotsOfMonth  = 500
	slotsAskedFor = 600
	slotsTaken    = 400 // of a month, before the next one's are asked for
)

// slots measures posts that are scheduled: each takes one of its month's places, and has a flow
// that waits for its time.
func (b *bench) slots(ctx context.Context) ([]figure, error) {
	return b.inWorlds(ctx, func(ctx context.Context, w *world) (all []figure, err error) {
		year := &calendar{from: time.Now().UTC()}
		const bare = "Gin and SQL: one guarded UPDATE"
		alone := w.contest(b, "Slots", "slots of scheduled posts", bare, year.baseline("/slots"), year.ours(w.key))
		crowded := alone
		alone.atOnce, crowded.atOnce = 1, 16
		alone.rate, crowded.rate = atLeast(slotTarget), atLeast(slotTarget)
		carried := w.contest(b, "Slots", "the same, each with its flow", bare+", and the start of a flow", year.baseline("/slots/flows"), year.ours(w.key))
		carried.atOnce, carried.rate = 16, atLeast(slotTarget)
		all, err = holdAll(ctx, alone, crowded, carried)
		if err != nil {
			return all, err
		}
		granted, err := year.exhaust(ctx, w)
		return append(all, granted), err
	})
}

// calendar gives the posts of each side their months.
type calendar struct {
	from             time.Time
	baselines, posts atomic.Int64
}

func (y *calendar) baseline(path string) load {
	return load{want: http.StatusCreated, ask: func(n int64) []byte {
		month := y.baselines.Add(1) / slotsTaken
		return wire(http.MethodPost, path, fmt.Sprintf(`{"id":"%d","month":"baseline-%d","content":"Post %d"}`, n, month, n))
	}}
}

// ours asks for slots of the next months, the last of the year left out.
func (y *calendar) ours(key string) load {
	return load{want: http.StatusCreated, ask: func(n int64) []byte {
		return y.post(key, n, 1+int(y.posts.Add(1)/slotsTaken))
	}}
}

func (y *calendar) post(key string, n int64, month int) []byte {
	at := time.Date(y.from.Year(), y.from.Month()+time.Month(month), 2, 12, 0, 0, 0, time.UTC)
	return wire(http.MethodPost, "/api/posts", fmt.Sprintf(`{"content":"Post %d","scheduledAt":%q}`, n, at.Format(time.RFC3339)), "X-Admin-Key: "+key)
}

// lastMonth is within the year for which posts can be scheduled.
const lastMonth = 11

// exhaust asks for more slots of a month than there are.
func (y *calendar) exhaust(ctx context.Context, w *world) (figure, error) {
	rush := load{
		address: hostOf(w.up.site), atOnce: 16, want: http.StatusCreated, most: slotsAskedFor,
		ask: func(n int64) []byte { return y.post(w.key, n, lastMonth) },
	}
	got, err := rush.run(ctx, time.Minute, &asked)
	granted, refused := len(got.waited), got.others[http.StatusTooManyRequests]
	if err == nil && (granted > slotsOfMonth || granted+refused != slotsAskedFor) {
		err = fmt.Errorf("of %d slots of a month, %d were granted and %d refused; other answers: %v", slotsOfMonth, granted, refused, got.others)
	}
	return figure{
		Subject: "Slots, " + w.kind, What: fmt.Sprintf("granted of %d asked for at once", slotsAskedFor), Unit: "slots",
		Ours: float64(granted), Target: atLeast(slotsOfMonth),
	}, err
}
