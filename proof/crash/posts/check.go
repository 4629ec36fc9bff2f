package posts

import (
	"fmt"
	"slices"

	"customerzero/internal/domain/post"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/proof/crash/rig"
)

// evidence is all that is known when everything is quiet.
type evidence struct {
	facts
	tweets  []xsandbox.Tweet
	runs    []flow
	written []*written
	strange []string
	stuck   []string
	planned []string // the texts that were to be written
}

// invariant is a promise of the product.
type invariant struct {
	promise string
	broken  func(evidence) []string // each breach in one line
}

// invariants are all promises. A new one needs a case in TestInvariants.
var invariants = []invariant{
	{"every post is in exactly one final state", unfinished},
	{"unknown posts settle when they are tried again", unsettled},
	{"each published text is on the timeline exactly once", misprinted},
	{"no tweet without its published post", unclaimed},
	{"nothing went out before its time", early},
	{"slots spent = published, reserved = unknown", misbookedSlots},
	{"held shares = slots counted", misbookedShares},
	{"credits = 90 - sponsored and published", misbookedCredits},
	{"what the API acknowledged is there", lostPosts},
	{"orders answered with success were kept", lostOrders},
	{"no answer without a reason", groundless},
	{"one run a post; closed, with the row's status", misrun},
}

func unfinished(e evidence) []string {
	breaches := slices.Clone(e.stuck)
	final := []post.Status{post.StatusPublished, post.StatusFailed, post.StatusUnknown, post.StatusCancelled}
	for _, r := range e.posts {
		if !slices.Contains(final, post.Status(r.status)) {
			breaches = append(breaches, r.id+" ends as "+r.status)
		}
	}
	return breaches
}

func unsettled(e evidence) []string {
	var breaches []string
	for _, r := range e.in(post.StatusUnknown) {
		breaches = append(breaches, r.id+" is unknown still: "+r.code)
	}
	return breaches
}

func misprinted(e evidence) []string {
	var breaches []string
	for _, r := range e.in(post.StatusPublished) {
		var ids []string
		for _, t := range e.tweets {
			if t.Text == r.text {
				ids = append(ids, t.ID)
			}
		}
		if !slices.Equal(ids, []string{r.tweetID}) {
			breaches = append(breaches, fmt.Sprintf("%s names tweet %s, its text is in %v", r.id, r.tweetID, ids))
		}
	}
	return breaches
}

func unclaimed(e evidence) []string {
	owners := map[string][]string{}
	for _, r := range e.in(post.StatusPublished) {
		owners[r.tweetID] = append(owners[r.tweetID], r.id)
	}
	var breaches []string
	for _, t := range e.tweets {
		if len(owners[t.ID]) != 1 {
			breaches = append(breaches, fmt.Sprintf("tweet %s belongs to %v: %s%s", t.ID, owners[t.ID], t.Text, e.sameText(t.Text)))
		}
	}
	return breaches
}

// sameText says what the books call a text that is on the timeline unasked.
func (e evidence) sameText(text string) string {
	said := ""
	for _, r := range e.posts {
		if r.text == text {
			said += " [" + r.id + " is " + r.status + "]"
		}
	}
	return said
}

// early looks at posts that nobody retried: a retry means now.
func early(e evidence) []string {
	sent := map[string]xsandbox.Tweet{}
	for _, t := range e.tweets {
		sent[t.ID] = t
	}
	var breaches []string
	for _, r := range e.in(post.StatusPublished) {
		t, ok := sent[r.tweetID]
		if ok && !e.retried(r.id) && t.CreatedAt.Before(r.scheduledAt.Add(-clockStep)) {
			breaches = append(breaches, fmt.Sprintf("%s was due at %s and out at %s", r.id, clock(r.scheduledAt), clock(t.CreatedAt)))
		}
	}
	return breaches
}

func (e evidence) in(status post.Status) []row {
	return slices.DeleteFunc(slices.Clone(e.posts), func(r row) bool { return r.status != string(status) })
}

func (e evidence) retried(id string) bool {
	return slices.ContainsFunc(e.written, func(w *written) bool { return w.id == id && w.did(retry, rig.Success, rig.Unclear) })
}
