package checkouts

import (
	"fmt"
	"slices"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/member"
)

// evidence is all that is known when everything is quiet.
type evidence struct {
	facts
	pages     []page
	coupons   []coupon
	events    []event // as Stripe knows them
	mail      []message
	runs      []flow
	failures  []string
	leaks     []string
	quotes    []quote
	receipts  []receipt
	strange   []string
	stuck     []string
	believed  int // forged webhooks
	forgeries int
}

// invariant is a promise of the product.
type invariant struct {
	promise string
	broken  func(evidence) []string // each breach in one line
}

// invariants are all promises. A new one needs a case in TestInvariants.
var invariants = []invariant{
	{"every checkout comes to its end", func(e evidence) []string { return e.stuck }},
	{"what is paid at Stripe is paid in the books, and nothing else", misbooked},
	{"one kept payment = one active member", misadmitted},
	{"90 credits for each payment, taken back with the money", miscredited},
	{"the books add up, and never go below zero", misadded},
	{"who paid twice has one seat, and the money back once", misreturned},
	{"price told = price decided = price charged", mispriced},
	{"the same visitor gets the same price", unsteady},
	{"no discount of an unpaid checkout is left", leftover},
	{"discounts held = those of the decisions, within the budget", misheld},
	{"what buyers were told is so", mistold},
	{"no news of money is missed, however its webhook fared", func(e evidence) []string { return e.unheeded(e.events) }},
	{"a forged webhook is answered 400, and changes nothing", deceived},
	{"each member got one welcome and one receipt; nobody else", misposted},
	{"no address in logs and histories", func(e evidence) []string { return e.leaks }},
	{"every run ended, as its row says", misrun},
	{"no answer without a reason", func(e evidence) []string { return e.strange }},
}

// misbooked compares the books with Stripe's.
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
	want := map[string]entry{}
	for _, c := range e.checkouts {
		if c.memberID == "" {
			continue
		}
		key := "founding_fee:" + c.sessionID
		want[key] = entry{memberID: c.memberID, key: key, delta: member.FoundingCredits}
		if c.state == checkout.Refunded {
			key = "refund:" + c.id
			want[key] = entry{memberID: c.memberID, key: key, delta: -member.FoundingCredits}
		}
	}
	var breaches []string
	for _, n := range e.entries {
		w, expected := want[n.key]
		delete(want, n.key)
		if !expected || n.memberID != w.memberID || n.delta != w.delta {
			breaches = append(breaches, fmt.Sprintf("%s gets %d for %s", n.memberID, n.delta, n.key))
		}
	}
	for _, w := range want {
		breaches = append(breaches, fmt.Sprintf("%s lacks %d for %s", w.memberID, w.delta, w.key))
	}
	return breaches
}

func misadded(e evidence) []string {
	sum := map[string]int{}
	var breaches []string
	for _, n := range e.entries { // in order
		sum[n.memberID] += n.delta
		if sum[n.memberID] != n.balance || n.balance < 0 {
			breaches = append(breaches, fmt.Sprintf("entry %d of %s says %d, the sum is %d", n.seq, n.memberID, n.balance, sum[n.memberID]))
		}
	}
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
		if latest[r.checkoutID].RunID == "" {
			latest[r.checkoutID] = r
		}
	}
	for _, c := range e.checkouts {
		run := latest[c.id]
		delete(latest, c.id)
		asTheRow := run.result == c.state || run.result == checkout.Paid && c.state == checkout.Refunded
		if run.RunID != c.runID || !asTheRow {
			breaches = append(breaches, fmt.Sprintf("%s is %s by run %s; the latest, %s, said %q", c.id, c.state, c.runID, run.RunID, run.result))
		}
	}
	for id := range latest {
		breaches = append(breaches, "a run carries a checkout that is not there: "+id)
	}
	return breaches
}
