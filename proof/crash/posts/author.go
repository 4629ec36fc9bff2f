package posts

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"customerzero/api/posts"
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
				w.ledger.strange.Add(fmt.Sprintf("%q was refused as a duplicate, but nothing is there: %v", p.text, err))
				return nil
			}
			return w.acknowledge(id, p.text, "known by its refusal")
		case a.Outcome == rig.Refused:
			w.ledger.strange.Add(fmt.Sprintf("%q was refused: %s", p.text, a))
			return nil
		}
		w.ledger.repeats.Add(1)
		cluster.Wait(ctx, 300*time.Millisecond)
	}
	return nil
}

func (w *world) acknowledge(id, text, how string) *written {
	w.Diary.Note("%s written (%s): %s", id, how, text)
	post := &written{id: id, text: text}
	w.ledger.written.Add(post)
	return post
}

// give gives an order once. Lost answers stay lost: the order may have been carried out.
func (w *world) give(ctx context.Context, post *written, o plannedOrder) {
	at := time.Now().Add(o.ahead).Truncate(time.Millisecond)
	w.Trap.ReachSoon(ordering)
	a := w.founder.give(ctx, post.id, o, at)
	w.Diary.Note("%s %s: %s", post.id, o.kind, a)
	w.ledger.mu.Lock()
	defer w.ledger.mu.Unlock()
	post.orders = append(post.orders, given{o, a, at, time.Now()})
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

// founder calls the API as the founders do.
type founder struct{ *rig.Caller }

type answer struct {
	rig.Answer
	post posts.Post // success, of a call about a post
}

func (f *founder) callPost(ctx context.Context, method, path string, body any) answer {
	var reply posts.PostReply
	a := answer{f.Call(ctx, method, path, body, &reply), reply.Post}
	if a.Outcome == rig.Success && a.post.ID == "" {
		a.Outcome = rig.Unclear
	}
	return a
}

func (f *founder) write(ctx context.Context, p plannedPost, at time.Time) answer {
	body := posts.NewPost{Content: p.text, Member: p.member}
	if !at.IsZero() {
		body.ScheduledAt = at.Format(time.RFC3339Nano)
	}
	return f.callPost(ctx, http.MethodPost, "/api/posts", body)
}

func (f *founder) give(ctx context.Context, id string, o plannedOrder, at time.Time) answer {
	path := "/api/posts/" + id
	var body posts.PostChange
	switch o.kind {
	case edit:
		body.Content = &o.text
		return f.callPost(ctx, http.MethodPatch, path, body)
	case reschedule:
		when := at.Format(time.RFC3339Nano)
		body.ScheduledAt = &when
		return f.callPost(ctx, http.MethodPatch, path, body)
	case cancelling:
		return f.callPost(ctx, http.MethodDelete, path, nil)
	case retry:
		return f.callPost(ctx, http.MethodPost, path+"/retry", nil)
	}
	return answer{Answer: rig.Answer{Outcome: rig.Refused, Code: problem.Invalid}}
}

// stuck lists posts that wait for a person.
func (f *founder) stuck(ctx context.Context, status string) ([]posts.Post, rig.Answer) {
	var page posts.Posts
	a := f.Call(ctx, http.MethodGet, "/api/posts?limit=100&status="+status, nil, &page)
	return page.Posts, a
}

// ledger is what was asked of the API, and what it answered.
type ledger struct {
	mu      sync.Mutex // of what is written about a post
	written rig.Notes[*written]
	strange rig.Notes[string] // answers that no caller should get
	repeats atomic.Int32      // calls that were made again
}

// written is a post that the API has acknowledged: in words, or by refusing its text the second time.
type written struct {
	id, text string
	orders   []given
}

type given struct {
	plannedOrder
	answer   answer
	at       time.Time // reschedule: the new time
	answered time.Time
}

// of finds a post by its id; nil when nobody was told that it exists.
func (l *ledger) of(id string) *written {
	if found := rig.Find(l.written.All(), func(w *written) bool { return w.id == id }); found != nil {
		return *found
	}
	return nil
}

// may are what orders of the kind may have left: the last that succeeded, and those of which nobody knows.
func may[T any](w *written, kind orderKind, told func(given) T) (all []T, sure bool) {
	var last []T
	for _, o := range w.orders {
		switch {
		case o.kind != kind || o.answer.Outcome == rig.Refused:
		case o.answer.Outcome == rig.Success:
			last = []T{told(o)}
		default:
			all = append(all, told(o))
		}
	}
	return append(all, last...), last != nil
}

// did says whether an order of the kind had one of the outcomes.
func (w *written) did(kind orderKind, outcomes ...rig.Outcome) bool {
	return slices.ContainsFunc(w.orders, func(o given) bool { return o.kind == kind && slices.Contains(outcomes, o.answer.Outcome) })
}
