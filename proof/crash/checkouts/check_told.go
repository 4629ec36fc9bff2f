package checkouts

import (
	"fmt"
	"strings"

	"customerzero/internal/domain/checkout"
)

// mispriced follows each price from the buyer to Stripe.
func mispriced(e evidence) []string {
	var breaches []string
	for _, q := range e.quotes {
		if c := e.byID(q.checkoutID); c != nil {
			if d := e.decision(c.decisionID); d == nil || d.finalCents != q.cents || d.personal != q.personal {
				breaches = append(breaches, fmt.Sprintf("buyer %d was told %d cents for %s, decided was %+v", q.buyer, q.cents, q.checkoutID, d))
			}
		}
	}
	for _, p := range e.pages {
		c := e.byID(p.checkoutID)
		if c == nil {
			breaches = append(breaches, p.id+" is a page of no checkout")
			continue
		}
		if d := e.decision(c.decisionID); d == nil || d.finalCents != p.total {
			breaches = append(breaches, fmt.Sprintf("%s asks for %d cents, decided was %+v", p.id, p.total, d))
		}
	}
	return breaches
}

// unsteady looks for a visitor with a second personal price; all of this takes less than a day.
func unsteady(e evidence) []string {
	var breaches []string
	prices := map[string]int{}
	for _, d := range e.decisions {
		if d.personal && d.visitor != "" {
			prices[d.visitor]++
		}
	}
	for visitor, n := range prices {
		if n > 1 {
			breaches = append(breaches, fmt.Sprintf("visitor %.8s has %d personal prices", visitor, n))
		}
	}
	told := map[int]int{}
	for _, q := range e.quotes {
		if before, known := told[q.buyer]; q.personal && known && before != q.cents {
			breaches = append(breaches, fmt.Sprintf("buyer %d was told %d cents, and then %d", q.buyer, before, q.cents))
		} else if q.personal {
			told[q.buyer] = q.cents
		}
	}
	return breaches
}

// leftover looks for coupons that were not taken back. One that Stripe made only after its
// checkout had ended was never seen by anybody, and ends by itself.
func leftover(e evidence) []string {
	var breaches []string
	for _, k := range e.coupons {
		c := e.byID(k.checkoutID)
		if c == nil {
			breaches = append(breaches, k.id+" is a discount of no checkout")
			continue
		}
		unseen := c.state == checkout.Failed && k.created.After(c.endedAt)
		if !k.deleted && !k.redeemed && !unseen {
			breaches = append(breaches, fmt.Sprintf("%s is still there; its checkout is %s", k.id, c.state))
		}
		if k.redeemed && !c.state.Settled() {
			breaches = append(breaches, fmt.Sprintf("%s was used; its checkout is %s", k.id, c.state))
		}
	}
	return breaches
}

func misheld(e evidence) []string {
	held := map[string]int{}
	for _, d := range e.decisions {
		held[d.month] += d.heldCents
	}
	var breaches []string
	for _, m := range e.months {
		if m.heldCents != held[m.name] || m.heldCents > m.ofCents || m.ofCents != budgetCents {
			breaches = append(breaches, fmt.Sprintf("%s holds %d of %d cents, the decisions say %d", m.name, m.heldCents, m.ofCents, held[m.name]))
		}
		delete(held, m.name)
	}
	for name, cents := range held {
		if cents > 0 {
			breaches = append(breaches, fmt.Sprintf("%d cents are held of %q", cents, name))
		}
	}
	return breaches
}

// mistold compares the rows with what buyers were told.
func mistold(e evidence) []string {
	var breaches []string
	for _, q := range e.quotes {
		if e.byID(q.checkoutID) == nil {
			breaches = append(breaches, fmt.Sprintf("buyer %d was told of %s, and there is no row", q.buyer, q.checkoutID))
		}
	}
	for _, r := range e.receipts {
		c := e.byID(r.checkoutID)
		if c == nil || !c.state.Settled() || c.memberID == "" && c.code != checkout.CodeAlreadyMember {
			breaches = append(breaches, fmt.Sprintf("buyer %d was told that %s is paid: %+v", r.buyer, r.checkoutID, c))
		}
	}
	return breaches
}

// unheeded lists the events about money that were not acted on.
func (f facts) unheeded(events []event) []string {
	var missed []string
	for _, e := range events {
		if e.money && !f.heeded[e.id] {
			missed = append(missed, e.id+" is about money, and nobody heeded it")
		}
	}
	return missed
}

func deceived(e evidence) []string {
	var breaches []string
	if e.believed > 0 {
		breaches = append(breaches, fmt.Sprintf("%d of %d forged webhooks were not refused", e.believed, e.forgeries))
	}
	for id := range e.heeded {
		if find(e.events, func(v event) bool { return v.id == id }) == nil {
			breaches = append(breaches, id+" was written down, and Stripe never said it")
		}
	}
	return breaches
}

// message is a letter that came, under whatever number of copies.
type message struct{ letterID, to string }

// misposted expects a welcome and a receipt for each payment that made somebody a member, and
// a word about its refund, or about a payment that nobody needed.
func misposted(e evidence) []string {
	want := map[string]string{} // address by fact
	for _, c := range e.checkouts {
		if c.memberID == "" {
			if p := find(e.pages, func(p page) bool { return p.id == c.sessionID }); p != nil && c.code == checkout.CodeAlreadyMember {
				want["paid_twice:"+c.id] = p.email
			}
			continue
		}
		for _, kind := range []string{"welcome:", "receipt:"} {
			want[kind+c.id] = e.owners[c.memberID]
		}
		if c.state == checkout.Refunded {
			want["refund:"+c.id] = e.owners[c.memberID]
		}
	}
	facts := map[string]string{} // by letter
	for _, l := range e.letters {
		facts[l.id] = l.fact
	}
	var breaches []string
	for _, m := range e.mail {
		fact := facts[m.letterID]
		if to, expected := want[fact]; !expected || to != m.to {
			breaches = append(breaches, fmt.Sprintf("letter %s (%s) went to somebody", m.letterID, strings.TrimSpace(fact)))
		}
		delete(want, fact)
	}
	for fact := range want {
		breaches = append(breaches, "never came: "+fact)
	}
	return breaches
}
