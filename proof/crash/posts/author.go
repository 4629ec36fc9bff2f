package posts

import (
	"context"
	"fmt"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
)

// writeAndOrder writes one post, as long as that takes, and then gives the orders.
func (w *world) writeAndOrder(ctx context.Context, began time.Time, p plannedPost) {
	if !cluster.Wait(ctx, time.Until(began.Add(p.at))) {
		return
	}
	post := w.write(ctx, p)
	if post == nil {
		return
	}
	start := time.Now()
	for _, o := range p.orders {
		if cluster.Wait(ctx, time.Until(start.Add(o.after))) {
			w.give(ctx, post, o)
		}
	}
}

// write repeats a call whose answer was lost. That the text is refused the second time
// is evidence that the first call wrote it down.
func (w *world) write(ctx context.Context, p plannedPost) *written {
	var at time.Time
	if p.ahead > 0 {
		at = time.Now().Add(p.ahead).Truncate(time.Millisecond)
	}
	for try := 1; ctx.Err() == nil; try++ {
		if at.Before(time.Now()) { // it took that long: then now
			at = time.Time{}
		}
		w.Trap.ReachSoon(writing)
		a := w.founder.write(ctx, p, at)
		switch {
		case a.Outcome == rig.Success:
			return w.acknowledge(a.post.ID, p.text, fmt.Sprintf("try %d", try))
		case a.Code == problem.TextDuplicate && try > 1:
			id, err := findOpen(ctx, w.DB.Books(), p.text)
			if err != nil {
				w.ledger.complain(fmt.Sprintf("%q was refused as a duplicate, but nothing is there: %v", p.text, err))
				return nil
			}
			return w.acknowledge(id, p.text, "known by its refusal")
		case a.Outcome == rig.Refused:
			w.ledger.complain(fmt.Sprintf("%q was refused: %s", p.text, a))
			return nil
		}
		w.ledger.again()
		cluster.Wait(ctx, 300*time.Millisecond)
	}
	return nil
}

func (w *world) acknowledge(id, text, how string) *written {
	w.Diary.Note("%s written (%s): %s", id, how, text)
	post := &written{id: id, text: text}
	w.ledger.add(post)
	return post
}

// give gives an order once. Lost answers stay lost: the order may have been carried out.
func (w *world) give(ctx context.Context, post *written, o plannedOrder) {
	at := time.Now().Add(o.ahead).Truncate(time.Millisecond)
	w.Trap.ReachSoon(ordering)
	a := w.founder.give(ctx, post.id, o, at)
	w.Diary.Note("%s %s: %s", post.id, o.kind, a)
	w.ledger.note(post, given{o, a, at, time.Now()})
}

// decide retries or gives up one of the posts that wait for a person.
func (w *world) decide(ctx context.Context, which int, kind orderKind) {
	posts, _ := w.founder.stuck(ctx, "failed,unknown")
	if len(posts) == 0 {
		return
	}
	post := w.ledger.of(posts[which%len(posts)].ID)
	if post == nil { // its answer is still to come
		return
	}
	w.give(ctx, post, plannedOrder{kind: kind})
}
