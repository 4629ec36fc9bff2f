package posts

import (
	"slices"
	"time"

	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/proof/crash/rig"
)

// evidence is everything that is known when all posts have settled.
type evidence struct {
	facts
	tweets     []xsandbox.Tweet
	runs       []flow
	written    []*written
	unexpected []string
	stuck      []string
	planned    []string // texts of the plan
}

// invariants are the promises. A new one needs a case in TestInvariants.
var invariants = []rig.Invariant[evidence]{
	{Name: "final", Promise: "every post is in exactly one final state", Broken: unfinished},
	{Name: "settled", Promise: "unknown posts settle when they are retried", Broken: func(e evidence, b *rig.Breaches) {
		for _, r := range e.in(post.StatusUnknown) {
			b.Add("%s is still unknown: %s", r.id, r.code)
		}
	}},
	{Name: "printed", Promise: "each published text is on the timeline exactly once", Broken: misprinted},
	{Name: "claimed", Promise: "no tweet without its published post", Broken: unclaimed},
	{Name: "punctual", Promise: "no post was sent before its time", Broken: early},
	{Name: "slots", Promise: "slots spent = published, reserved = unknown", Broken: misbookedSlots},
	{Name: "shares", Promise: "held shares = slots counted", Broken: misbookedShares},
	{Name: "credits", Promise: "credits = 90 - sponsored and published", Broken: misbookedCredits},
	{Name: "there", Promise: "every acknowledged post exists", Broken: lostPosts},
	{Name: "commands", Promise: "acknowledged commands took effect", Broken: lostCommands},
	{Name: "reason", Promise: "no unexpected response", Broken: groundless},
	{Name: "runs", Promise: "one run per post, closed with the status of its row", Broken: misrun},
}

func unfinished(e evidence, b *rig.Breaches) {
	b.All(e.stuck)
	final := []post.Status{post.StatusPublished, post.StatusFailed, post.StatusUnknown, post.StatusCancelled}
	for _, r := range e.posts {
		b.If(!slices.Contains(final, post.Status(r.status)), "%s ends as %s", r.id, r.status)
	}
}

func misprinted(e evidence, b *rig.Breaches) {
	for _, r := range e.in(post.StatusPublished) {
		var ids []string
		for _, t := range e.tweets {
			if t.Text == r.text {
				ids = append(ids, t.ID)
			}
		}
		b.If(!slices.Equal(ids, []string{r.tweetID}), "%s names tweet %s, its text is in %v", r.id, r.tweetID, ids)
	}
}

func unclaimed(e evidence, b *rig.Breaches) {
	owners := map[string][]string{}
	for _, r := range e.in(post.StatusPublished) {
		owners[r.tweetID] = append(owners[r.tweetID], r.id)
	}
	for _, t := range e.tweets {
		b.If(len(owners[t.ID]) != 1, "tweet %s belongs to %v: %s", t.ID, owners[t.ID], t.Text)
	}
}

// early finds posts that were sent before their time. A retried post is due at once.
func early(e evidence, b *rig.Breaches) {
	sent := map[string]xsandbox.Tweet{}
	for _, t := range e.tweets {
		sent[t.ID] = t
	}
	for _, r := range e.in(post.StatusPublished) {
		t, ok := sent[r.tweetID]
		b.If(ok && !e.retried(r.id) && t.CreatedAt.Before(r.scheduledAt.Add(-clockStep)),
			"%s was due at %s and sent at %s", r.id, clock(r.scheduledAt), clock(t.CreatedAt))
	}
}

func (e evidence) in(status post.Status) []row {
	return slices.DeleteFunc(slices.Clone(e.posts), func(r row) bool { return r.status != string(status) })
}

func (e evidence) retried(id string) bool {
	return slices.ContainsFunc(e.written, func(w *written) bool { return w.id == id && w.did(retry, rig.Success, rig.Unclear) })
}

// clockStep is the precision to which times are compared.
const clockStep = 2 * time.Millisecond

func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }

func (e evidence) rowOf(id string) *row {
	return rig.Find(e.posts, func(r row) bool { return r.id == id })
}

// lostPosts finds acknowledged posts without a row, and planned posts that were never acknowledged.
func lostPosts(e evidence, b *rig.Breaches) {
	known := map[string]bool{}
	for _, w := range e.written {
		known[w.text] = true
		b.If(e.rowOf(w.id) == nil, "%s has no row: %s", w.id, w.text)
	}
	for _, text := range e.planned {
		b.If(!known[text], "never acknowledged: %s", text)
	}
}

func lostCommands(e evidence, b *rig.Breaches) {
	for _, w := range e.written {
		r := e.rowOf(w.id)
		if r == nil || w.text == "" { // not acknowledged
			continue
		}
		texts, edited := effects(w, edit, func(o sentCommand) string { return o.text })
		if !edited {
			texts = append(texts, w.text)
		}
		b.If(!slices.Contains(texts, r.text), "%s has the text %q, acknowledged was %q", w.id, r.text, texts)
		times, moved := effects(w, reschedule, func(o sentCommand) time.Time { return o.at })
		kept := slices.ContainsFunc(times, func(at time.Time) bool { return at.Sub(r.scheduledAt).Abs() <= clockStep })
		if moved && !e.retried(w.id) && !kept {
			b.Add("%s is due at %s, acknowledged was %s", w.id, clock(r.scheduledAt), clock(times[len(times)-1]))
		}
		cancelled := r.status == string(post.StatusCancelled)
		b.If(w.did(cancelling, rig.Success) && !cancelled || cancelled && !w.did(cancelling, rig.Success, rig.Unclear),
			"%s is %s, which does not fit its cancellation", w.id, r.status)
	}
}

// groundless finds unexpected responses, and commands that were refused as too late before the post was sent.
func groundless(e evidence, b *rig.Breaches) {
	b.All(e.unexpected)
	for _, w := range e.written {
		r := e.rowOf(w.id)
		if r == nil || r.status != string(post.StatusPublished) || e.retried(w.id) {
			continue
		}
		for _, o := range w.commands {
			b.If(o.kind != retry && o.answer.Code == problem.PostClosed && r.publishedAt.Time.After(o.answered),
				"%s was sent at %s; its %s was refused as too late at %s",
				w.id, clock(r.publishedAt.Time), o.kind, clock(o.answered))
		}
	}
}

func misrun(e evidence, b *rig.Breaches) {
	runs := map[string][]flow{}
	for _, run := range e.runs {
		runs[run.ID] = append(runs[run.ID], run)
	}
	for _, r := range e.posts {
		own := runs[r.id]
		delete(runs, r.id)
		if len(own) != 1 || own[0].RunID != r.runID {
			b.Add("%s names run %q, and has %d", r.id, r.runID, len(own))
			continue
		}
		final := post.Status(r.status).Final()
		b.If(final && own[0].Result.Status != post.Status(r.status) || !final && !own[0].Open(),
			"%s is %s; its run is %s with %q", r.id, r.status, own[0].Status, own[0].Result.Status)
	}
	for id := range runs {
		b.Add("a run has no post: %s", id)
	}
}

// slotOf is the slot state of a post by its status. Posts of other statuses hold no slot.
var slotOf = map[post.Status]string{post.StatusPublished: "spent", post.StatusUnknown: "reserved"}

func misbookedSlots(e evidence, b *rig.Breaches) {
	held := map[string]string{}
	for _, s := range e.slots {
		b.If((s.state == "free") != (s.postID == ""), "slot %s/%d is %s, with post %q", s.month, s.number, s.state, s.postID)
		if s.postID != "" {
			held[s.postID] += s.state
		}
	}
	for _, r := range e.posts {
		if want := slotOf[post.Status(r.status)]; held[r.id] != want {
			b.Add("%s is %s and its slot is %q, not %q", r.id, r.status, held[r.id], want)
		}
		delete(held, r.id)
	}
	for id := range held {
		b.Add("a slot is held by a post that does not exist: %s", id)
	}
}

func misbookedShares(e evidence, b *rig.Breaches) {
	type key struct{ month, holder string }
	counted := map[key]int{}
	for _, s := range e.slots {
		if s.postID != "" {
			counted[key{s.month, s.memberID}]++
		}
	}
	for _, s := range e.shares {
		k := key{s.month, s.holder}
		b.If(s.held != counted[k], "%q holds %d of %s by its share, %d by the slots", s.holder, s.held, s.month, counted[k])
		delete(counted, k)
	}
	for k, n := range counted {
		b.Add("%q holds %d slots of %s without a share", k.holder, n, k.month)
	}
}

func misbookedCredits(e evidence, b *rig.Breaches) {
	want := map[string]int{}
	for id := range e.members {
		want[id] = member.FoundingCredits
	}
	for _, r := range e.posts {
		if r.memberID != "" && slotOf[post.Status(r.status)] != "" {
			want[r.memberID]--
		}
	}
	sum := rig.SumCredits(e.entries, b)
	for id, credits := range want {
		b.If(sum[id] != credits, "%s has %d credits, not %d", e.members[id], sum[id], credits)
	}
}
