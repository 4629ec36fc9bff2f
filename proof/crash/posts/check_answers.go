package posts

import (
	"fmt"
	"slices"
	"time"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/proof/crash/rig"
)

// clockStep is what clocks and databases may cut off a time.
const clockStep = 2 * time.Millisecond

func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }

func (e evidence) rowOf(id string) *row {
	i := slices.IndexFunc(e.posts, func(r row) bool { return r.id == id })
	if i < 0 {
		return nil
	}
	return &e.posts[i]
}

// lostPosts are those that somebody was told of, or that were to be written.
func lostPosts(e evidence) []string {
	var breaches []string
	known := map[string]bool{}
	for _, w := range e.written {
		known[w.text] = true
		if e.rowOf(w.id) == nil {
			breaches = append(breaches, fmt.Sprintf("%s has no row: %s", w.id, w.text))
		}
	}
	for _, text := range e.planned {
		if !known[text] {
			breaches = append(breaches, "never acknowledged: "+text)
		}
	}
	return breaches
}

// lostOrders compares the rows with what people were told.
func lostOrders(e evidence) []string {
	var breaches []string
	for _, w := range e.written {
		r := e.rowOf(w.id)
		if r == nil || w.text == "" { // nobody was told of it
			continue
		}
		if !slices.Contains(w.texts(), r.text) {
			breaches = append(breaches, fmt.Sprintf("%s says %q, it was told %q", w.id, r.text, w.texts()))
		}
		if times := w.times(); times != nil && !e.retried(w.id) && !near(times, r.scheduledAt) {
			breaches = append(breaches, fmt.Sprintf("%s is set for %s, it was told %s", w.id, clock(r.scheduledAt), clock(times[len(times)-1])))
		}
		cancelled := r.status == string(post.StatusCancelled)
		if w.did(cancelling, rig.Success) && !cancelled || cancelled && !w.did(cancelling, rig.Success, rig.Unclear) {
			breaches = append(breaches, w.id+" is "+r.status+", and people were told otherwise")
		}
	}
	return breaches
}

// groundless are answers that make no sense: of posts that were to be written, and orders
// that came too late, it was said, for a post that went out later.
func groundless(e evidence) []string {
	breaches := slices.Clone(e.strange)
	for _, w := range e.written {
		r := e.rowOf(w.id)
		if r == nil || r.status != string(post.StatusPublished) || e.retried(w.id) {
			continue
		}
		for _, o := range w.orders {
			if o.kind != retry && o.answer.Code == problem.PostClosed && r.publishedAt.After(o.answered) {
				breaches = append(breaches, fmt.Sprintf("%s went out at %s; its %s was refused as too late at %s",
					w.id, clock(r.publishedAt), o.kind, clock(o.answered)))
			}
		}
	}
	return breaches
}

func near(times []time.Time, at time.Time) bool {
	return slices.ContainsFunc(times, func(t time.Time) bool { return t.Sub(at).Abs() <= clockStep })
}

// misrun compares the runs with the rows.
func misrun(e evidence) []string {
	runs := map[string][]flow{}
	for _, run := range e.runs {
		runs[run.postID] = append(runs[run.postID], run)
	}
	var breaches []string
	for _, r := range e.posts {
		own := runs[r.id]
		delete(runs, r.id)
		if len(own) != 1 || own[0].RunID != r.runID {
			breaches = append(breaches, fmt.Sprintf("%s names run %q, and has %d", r.id, r.runID, len(own)))
			continue
		}
		final := post.Status(r.status).Final()
		if final && own[0].result != post.Status(r.status) || !final && !own[0].Open() {
			breaches = append(breaches, fmt.Sprintf("%s is %s; its run is %s with %q", r.id, r.status, own[0].Status, own[0].result))
		}
	}
	for id := range runs {
		breaches = append(breaches, "a run carries a post that is not there: "+id)
	}
	return breaches
}
