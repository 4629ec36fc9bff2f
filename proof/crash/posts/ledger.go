package posts

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"customerzero/proof/crash/rig"
)

// ledger is what was asked of the API, and what it answered.
type ledger struct {
	mu      sync.Mutex // of what is written about a post
	written rig.Notes[*written]
	strange rig.Notes[string] // answers that no caller should get
	repeats atomic.Int32      // calls that were made again
}

// written is a post that the API has acknowledged: in words, or by refusing its text the
// second time.
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

func (l *ledger) note(w *written, g given) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.orders = append(w.orders, g)
}

// of finds a post by its id; nil when nobody was told that it exists.
func (l *ledger) of(id string) *written {
	if found := rig.Find(l.written.All(), func(w *written) bool { return w.id == id }); found != nil {
		return *found
	}
	return nil
}

// texts are those the post may have now: that of the last successful edit, and those of
// edits of which nobody knows.
func (w *written) texts() []string {
	last, maybe := w.text, []string{}
	for _, o := range w.orders {
		switch {
		case o.kind != edit || o.answer.Outcome == rig.Refused:
		case o.answer.Outcome == rig.Success:
			last = o.text
		default:
			maybe = append(maybe, o.text)
		}
	}
	return append(maybe, last)
}

// times are those the post may be scheduled for now; none when it was not moved for sure.
func (w *written) times() []time.Time {
	var last, maybe []time.Time
	for _, o := range w.orders {
		switch {
		case o.kind != reschedule || o.answer.Outcome == rig.Refused:
		case o.answer.Outcome == rig.Success:
			last = []time.Time{o.at}
		default:
			maybe = append(maybe, o.at)
		}
	}
	if last == nil {
		return nil
	}
	return append(maybe, last...)
}

// did says whether an order of the kind had one of the outcomes.
func (w *written) did(kind orderKind, outcomes ...rig.Outcome) bool {
	return slices.ContainsFunc(w.orders, func(o given) bool { return o.kind == kind && slices.Contains(outcomes, o.answer.Outcome) })
}
