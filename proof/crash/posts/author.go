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

// writeAndChange writes one post, retrying as long as it takes, and then sends its commands.
func (w *world) writeAndChange(ctx context.Context, began time.Time, p plannedPost) {
	if !cluster.Wait(ctx, time.Until(began.Add(p.at))) {
		return
	}
	post := w.write(ctx, p)
	if post == nil {
		return
	}
	start := time.Now()
	for _, o := range p.commands {
		if cluster.Wait(ctx, time.Until(start.Add(o.after))) {
			w.sendCommand(ctx, post, o)
		}
	}
}

// write repeats a call whose response was lost. If the text is then refused as a duplicate, the first call has
// stored it.
func (w *world) write(ctx context.Context, p plannedPost) *written {
	var at time.Time
	if p.ahead > 0 {
		at = time.Now().Add(p.ahead).Truncate(time.Millisecond)
	}
	for try := 1; ctx.Err() == nil; try++ {
		if at.Before(time.Now()) { // its time has passed: send it now
			at = time.Time{}
		}
		w.Trap.ReachSoon(writing)
		a := w.founder.write(ctx, p, at)
		switch {
		case a.Outcome == rig.Success:
			return w.acknowledge(a.post.ID, p.text, fmt.Sprintf("try %d", try))
		case a.Code == problem.TextDuplicate && try > 1:
			id, err := findOpen(ctx, w.DB.SQL(), p.text)
			if err != nil {
				w.ledger.unexpected.Add(fmt.Sprintf("%q was refused as a duplicate, but has no row: %v", p.text, err))
				return nil
			}
			return w.acknowledge(id, p.text, "refused as a duplicate")
		case a.Outcome == rig.Refused:
			w.ledger.unexpected.Add(fmt.Sprintf("%q was refused: %s", p.text, a))
			return nil
		}
		w.ledger.repeats.Add(1)
		cluster.Wait(ctx, 300*time.Millisecond)
	}
	return nil
}

func (w *world) acknowledge(id, text, how string) *written {
	w.Events.Note("%s written (%s): %s", id, how, text)
	post := &written{id: id, text: text}
	w.ledger.written.Add(post)
	return post
}

// sendCommand sends a command once. If the response is lost, the command may have been carried out.
func (w *world) sendCommand(ctx context.Context, post *written, o plannedCommand) {
	at := time.Now().Add(o.ahead).Truncate(time.Millisecond)
	w.Trap.ReachSoon(commanding)
	a := w.founder.sendCommand(ctx, post.id, o, at)
	w.Events.Note("%s %s: %s", post.id, o.kind, a)
	w.ledger.mu.Lock()
	defer w.ledger.mu.Unlock()
	post.commands = append(post.commands, sentCommand{o, a, at, time.Now()})
}

// decide retries or cancels one of the failed or unknown posts.
func (w *world) decide(ctx context.Context, which int, kind commandKind) {
	posts, _ := w.founder.stuck(ctx, "failed,unknown")
	if len(posts) == 0 {
		return
	}
	post := w.ledger.of(posts[which%len(posts)].ID)
	if post == nil { // the response that acknowledges it is still pending
		return
	}
	w.sendCommand(ctx, post, plannedCommand{kind: kind})
}

type founder struct{ *rig.Caller }

type answer struct {
	rig.Answer
	post posts.Post // of a successful call
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

func (f *founder) sendCommand(ctx context.Context, id string, o plannedCommand, at time.Time) answer {
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

func (f *founder) stuck(ctx context.Context, status string) ([]posts.Post, rig.Answer) {
	var page posts.Posts
	a := f.Call(ctx, http.MethodGet, "/api/posts?limit=100&status="+status, nil, &page)
	return page.Posts, a
}

// ledger records the requests and responses.
type ledger struct {
	mu         sync.Mutex // guards the commands of a post
	written    rig.Notes[*written]
	unexpected rig.Notes[string] // unexpected responses
	repeats    atomic.Int32      // repeated calls
}

// written is a post that the API has acknowledged, by a response or by refusing its text as a duplicate.
type written struct {
	id, text string
	commands []sentCommand
}

type sentCommand struct {
	plannedCommand
	answer   answer
	at       time.Time // reschedule: the new time
	answered time.Time
}

// of returns an acknowledged post by its ID, or nil.
func (l *ledger) of(id string) *written {
	if found := rig.Find(l.written.All(), func(w *written) bool { return w.id == id }); found != nil {
		return *found
	}
	return nil
}

// effects returns the possible effects of the commands of a kind: the last that succeeded and those with an unclear
// outcome. sure reports whether one succeeded.
func effects[T any](w *written, kind commandKind, effect func(sentCommand) T) (all []T, sure bool) {
	var last []T
	for _, o := range w.commands {
		switch {
		case o.kind != kind || o.answer.Outcome == rig.Refused:
		case o.answer.Outcome == rig.Success:
			last = []T{effect(o)}
		default:
			all = append(all, effect(o))
		}
	}
	return append(all, last...), last != nil
}

// did reports whether a command of the kind had one of the outcomes.
func (w *written) did(kind commandKind, outcomes ...rig.Outcome) bool {
	return slices.ContainsFunc(w.commands, func(o sentCommand) bool { return o.kind == kind && slices.Contains(outcomes, o.answer.Outcome) })
}
