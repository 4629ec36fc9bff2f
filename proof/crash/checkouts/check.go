package checkouts

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/member"
	"customerzero/proof/crash/rig"
)

// evidence is all that is known when everything is quiet.
type evidence struct {
	facts
	pages    []page
	coupons  []coupon
	events   []event // as Stripe knows them
	mail     []message
	runs     []flow
	failures []string
	leaks    []string
	quotes   []quote
	receipts []receipt
	strange  []string
	stuck    []string
	forged   []int // the statuses that forged webhooks were answered with
}

// invariants are all promises. A new one needs a case in TestInvariants.
var invariants = []rig.Invariant[evidence]{
	{Name: "ending", Promise: "every checkout comes to its end", Broken: func(e evidence) []string { return e.stuck }},
	{Name: "booked", Promise: "what is paid at Stripe is paid in the books, and nothing else", Broken: misbooked},
	{Name: "seats", Promise: "one kept payment = one active member", Broken: misadmitted},
	{Name: "credits", Promise: "90 credits for each payment, taken back with the money", Broken: miscredited},
	{Name: "sums", Promise: "the books add up, and never go below zero", Broken: misadded},
	{Name: "double", Promise: "who paid twice has one seat, and the money back once", Broken: misreturned},
	{Name: "prices", Promise: "price told = price decided = price charged", Broken: mispriced},
	{Name: "steady", Promise: "the same visitor gets the same price", Broken: unsteady},
	{Name: "coupons", Promise: "no discount of an unpaid checkout is left", Broken: leftover},
	{Name: "held", Promise: "discounts held = those of the decisions, within the budget", Broken: misheld},
	{Name: "told", Promise: "what buyers were told is so", Broken: mistold},
	{Name: "heeded", Promise: "no news of money is missed, however its webhook fared", Broken: func(e evidence) []string { return e.unheeded(e.events) }},
	{Name: "forged", Promise: "a forged webhook is answered 400, and changes nothing", Broken: deceived},
	{Name: "mail", Promise: "each member got one welcome and one receipt; nobody else", Broken: misposted},
	{Name: "hidden", Promise: "no address in logs and histories", Broken: func(e evidence) []string { return e.leaks }},
	{Name: "runs", Promise: "every run ended, as its row says", Broken: misrun},
	{Name: "reason", Promise: "no answer without a reason", Broken: func(e evidence) []string { return e.strange }},
}

// misbooked compares the database with Stripe's.
func misbooked(e evidence) []string {
	var breaches []string
	paid := map[string]page{}
	for _, p := range e.pages {
		if !p.paid {
			continue
		}
		paid[p.id] = p
		c := e.bySession(p.id)
		if c == nil || !c.state.Settled() || c.id != p.checkoutID {
			breaches = append(breaches, fmt.Sprintf("%s is paid at Stripe for %s; no row says so", p.id, p.checkoutID))
		}
	}
	for _, c := range e.checkouts {
		p, known := paid[c.sessionID]
		switch {
		case !c.state.Settled():
		case !known:
			breaches = append(breaches, fmt.Sprintf("%s is %s; Stripe has no money of it", c.id, c.state))
		case c.paidCents != p.total || c.refundedCents != p.refunded || (c.state == checkout.Refunded) != (p.refunded == p.total):
			breaches = append(breaches, fmt.Sprintf("%s is %s, %d paid, %d back; Stripe says %d and %d",
				c.id, c.state, c.paidCents, c.refundedCents, p.total, p.refunded))
		}
	}
	return breaches
}

// misadmitted counts the payments that were kept, by the address that paid.
func misadmitted(e evidence) []string {
	kept := map[string][]string{}
	for _, p := range e.pages {
		if p.paid && p.refunded < p.total {
			kept[p.email] = append(kept[p.email], p.id)
		}
	}
	var breaches []string
	for id, status := range e.members {
		pages := kept[e.owners[id]]
		delete(kept, e.owners[id])
		if status == string(member.StatusActive) != (len(pages) == 1) {
			breaches = append(breaches, fmt.Sprintf("member %s is %s, with %d payments kept", id, status, len(pages)))
		}
	}
	for _, pages := range kept {
		breaches = append(breaches, fmt.Sprintf("%v: money was kept, and there is no member", pages))
	}
	return breaches
}

// miscredited expects the entries that each checkout brings about.
func miscredited(e evidence) []string {
	want := map[string]rig.CreditEntry{}
	for _, c := range e.checkouts {
		if c.memberID == "" {
			continue
		}
		key := "founding_fee:" + c.sessionID
		want[key] = rig.CreditEntry{MemberID: c.memberID, Key: key, Delta: member.FoundingCredits}
		if c.state == checkout.Refunded {
			key = "refund:" + c.id
			want[key] = rig.CreditEntry{MemberID: c.memberID, Key: key, Delta: -member.FoundingCredits}
		}
	}
	var breaches []string
	for _, n := range e.entries {
		w, expected := want[n.Key]
		delete(want, n.Key)
		if !expected || n.MemberID != w.MemberID || n.Delta != w.Delta {
			breaches = append(breaches, fmt.Sprintf("%s gets %d for %s", n.MemberID, n.Delta, n.Key))
		}
	}
	for _, w := range want {
		breaches = append(breaches, fmt.Sprintf("%s lacks %d for %s", w.MemberID, w.Delta, w.Key))
	}
	return breaches
}

func misadded(e evidence) []string {
	_, breaches := rig.SumCredits(e.entries)
	return breaches
}

func misreturned(e evidence) []string {
	var breaches []string
	for _, p := range e.pages {
		if p.refunds > 1 {
			breaches = append(breaches, fmt.Sprintf("the money of %s went back %d times", p.id, p.refunds))
		}
	}
	for _, c := range e.checkouts {
		double := c.code == checkout.CodeAlreadyMember
		if c.state.Settled() && double != (c.memberID == "") || double && c.state != checkout.Refunded {
			breaches = append(breaches, fmt.Sprintf("%s is %s, with the code %q and the member %q", c.id, c.state, c.code, c.memberID))
		}
	}
	return breaches
}

// misrun compares the latest run of each checkout with its row.
func misrun(e evidence) []string {
	breaches := slices.Clone(e.failures)
	latest := map[string]flow{}
	for _, r := range e.runs {
		if r.Open() {
			breaches = append(breaches, r.WorkflowID+" goes on")
		}
		if latest[r.ID].RunID == "" {
			latest[r.ID] = r
		}
	}
	for _, c := range e.checkouts {
		run := latest[c.id]
		delete(latest, c.id)
		asTheRow := run.Result.State == c.state || run.Result.State == checkout.Paid && c.state == checkout.Refunded
		if run.RunID != c.runID || !asTheRow {
			breaches = append(breaches, fmt.Sprintf("%s is %s by run %s; the latest, %s, said %q", c.id, c.state, c.runID, run.RunID, run.Result.State))
		}
	}
	for id := range latest {
		breaches = append(breaches, "a run carries a checkout that is not there: "+id)
	}
	return breaches
}

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
		unseen := c.state == checkout.Failed && k.created.After(c.endedAt.Time)
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
	for _, status := range e.forged {
		if status != http.StatusBadRequest {
			breaches = append(breaches, fmt.Sprintf("a forged webhook was answered %d", status))
		}
	}
	for id := range e.heeded {
		if rig.Find(e.events, func(v event) bool { return v.id == id }) == nil {
			breaches = append(breaches, id+" was written down, and Stripe never said it")
		}
	}
	return breaches
}

// message is an e-mail that came, under whatever number of copies.
type message struct{ emailID, to string }

// misposted expects a welcome and a receipt for each payment that made somebody a member, and
// a word about its refund, or about a payment that nobody needed.
func misposted(e evidence) []string {
	want := map[string]string{} // address by fact
	for _, c := range e.checkouts {
		if c.memberID == "" {
			if p := rig.Find(e.pages, func(p page) bool { return p.id == c.sessionID }); p != nil && c.code == checkout.CodeAlreadyMember {
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
		fact := facts[m.emailID]
		if to, expected := want[fact]; !expected || to != m.to {
			breaches = append(breaches, fmt.Sprintf("letter %s (%s) went to somebody", m.emailID, strings.TrimSpace(fact)))
		}
		delete(want, fact)
	}
	for fact := range want {
		breaches = append(breaches, "never came: "+fact)
	}
	return breaches
}
