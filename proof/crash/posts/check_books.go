package posts

import (
	"fmt"

	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
)

// slotOf is what a post of each status holds; the others hold nothing.
var slotOf = map[post.Status]string{post.StatusPublished: "spent", post.StatusUnknown: "reserved"}

func misbookedSlots(e evidence) []string {
	held := map[string]string{}
	var breaches []string
	for _, s := range e.slots {
		if (s.state == "free") != (s.postID == "") {
			breaches = append(breaches, fmt.Sprintf("slot %s/%d is %s, with post %q", s.month, s.number, s.state, s.postID))
		}
		if s.postID != "" {
			held[s.postID] += s.state
		}
	}
	for _, r := range e.posts {
		if want := slotOf[post.Status(r.status)]; held[r.id] != want {
			breaches = append(breaches, fmt.Sprintf("%s is %s and its slot is %q, not %q", r.id, r.status, held[r.id], want))
		}
		delete(held, r.id)
	}
	for id := range held {
		breaches = append(breaches, "a slot is held by a post that is not there: "+id)
	}
	return breaches
}

func misbookedShares(e evidence) []string {
	type key struct{ month, holder string }
	counted := map[key]int{}
	for _, s := range e.slots {
		if s.postID != "" {
			counted[key{s.month, s.memberID}]++
		}
	}
	var breaches []string
	for _, s := range e.shares {
		k := key{s.month, s.holder}
		if s.held != counted[k] {
			breaches = append(breaches, fmt.Sprintf("%q holds %d of %s by its share, %d by the slots", s.holder, s.held, s.month, counted[k]))
		}
		delete(counted, k)
	}
	for k, n := range counted {
		breaches = append(breaches, fmt.Sprintf("%q holds %d slots of %s without a share", k.holder, n, k.month))
	}
	return breaches
}

func misbookedCredits(e evidence) []string {
	want := map[string]int{}
	for id := range e.members {
		want[id] = member.FoundingCredits
	}
	for _, r := range e.posts {
		if r.memberID != "" && slotOf[post.Status(r.status)] != "" {
			want[r.memberID]--
		}
	}
	sum := map[string]int{}
	var breaches []string
	for _, entry := range e.entries { // in order
		sum[entry.memberID] += entry.delta
		if sum[entry.memberID] != entry.balance {
			breaches = append(breaches, fmt.Sprintf("entry %d of %s says %d, the sum is %d",
				entry.seq, e.members[entry.memberID], entry.balance, sum[entry.memberID]))
		}
	}
	for id, credits := range want {
		if sum[id] != credits {
			breaches = append(breaches, fmt.Sprintf("%s has %d credits, not %d", e.members[id], sum[id], credits))
		}
	}
	return breaches
}
