package checkouts

import (
	"net/http"
	"strings"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/member"
	"customerzero/internal/sandbox/stripe"
	"customerzero/proof/crash/rig"
)

// evidence is everything that is known when all checkouts have ended.
type evidence struct {
	facts
	pages      []page
	coupons    []stripe.Coupon
	events     []stripe.Event // as Stripe lists them
	mail       []message
	runs       []flow
	failures   []string
	quotes     []quote
	receipts   []receipt
	unexpected []string
	stuck      []string
	forged     []int // statuses of the responses to forged webhooks
}

// invariants are the promises. A new one needs a case in TestInvariants.
var invariants = []rig.Invariant[evidence]{
	{Name: "ending", Promise: "every checkout reaches a final state", Broken: func(e evidence, b *rig.Breaches) { b.All(e.stuck) }},
	{Name: "booked", Promise: "a checkout is paid exactly if it is paid at Stripe", Broken: misbooked},
	{Name: "memberships", Promise: "one kept payment = one active member", Broken: misadmitted},
	{Name: "credits", Promise: "90 credits for each payment, removed by a refund", Broken: miscredited},
	{Name: "sums", Promise: "every ledger balance is the sum of its entries and not negative", Broken: func(e evidence, b *rig.Breaches) { rig.SumCredits(e.entries, b) }},
	{Name: "double", Promise: "two payments of one buyer: one membership, one refund", Broken: misreturned},
	{Name: "prices", Promise: "price shown = price decided = price charged", Broken: mispriced},
	{Name: "steady", Promise: "the same visitor gets the same price", Broken: unsteady},
	{Name: "coupons", Promise: "no discount of an unpaid checkout is left", Broken: leftover},
	{Name: "held", Promise: "discounts held = those of the decisions, within the budget", Broken: misheld},
	{Name: "shown", Promise: "what buyers were shown is stored", Broken: missing},
	{Name: "handled", Promise: "no payment event is missed, even if its webhook was lost", Broken: func(e evidence, b *rig.Breaches) { b.All(e.unheeded(e.events)) }},
	{Name: "forged", Promise: "a forged webhook is answered 400 and changes nothing", Broken: deceived},
	{Name: "mail", Promise: "each member got one welcome and one receipt, and no other address did", Broken: misposted},
	{Name: "runs", Promise: "every run ended with the state of its row", Broken: misrun},
	{Name: "reason", Promise: "no unexpected response", Broken: func(e evidence, b *rig.Breaches) { b.All(e.unexpected) }},
}

func misbooked(e evidence, b *rig.Breaches) {
	paid := map[string]page{}
	for _, p := range e.pages {
		if !p.paid {
			continue
		}
		paid[p.id] = p
		c := e.bySession(p.id)
		b.If(c == nil || !c.state.Settled() || c.id != p.checkoutID, "%s is paid at Stripe for %s; no checkout is marked paid", p.id, p.checkoutID)
	}
	for _, c := range e.checkouts {
		p, known := paid[c.sessionID]
		switch {
		case !c.state.Settled():
		case !known:
			b.Add("%s is %s; Stripe has no payment for it", c.id, c.state)
		case c.paidCents != p.total || c.refundedCents != p.refunded || (c.state == checkout.Refunded) != (p.refunded == p.total):
			b.Add("%s is %s, %d paid, %d back; at Stripe %d and %d",
				c.id, c.state, c.paidCents, c.refundedCents, p.total, p.refunded)
		}
	}
}

// misadmitted compares the members with the payments that were not refunded, by e-mail address.
func misadmitted(e evidence, b *rig.Breaches) {
	kept := map[string][]string{}
	for _, p := range e.pages {
		if p.paid && p.refunded < p.total {
			kept[p.email] = append(kept[p.email], p.id)
		}
	}
	for id, status := range e.members {
		pages := kept[e.owners[id]]
		delete(kept, e.owners[id])
		b.If(status == string(member.StatusActive) != (len(pages) == 1), "member %s is %s, with %d payments kept", id, status, len(pages))
	}
	for _, pages := range kept {
		b.Add("%v: not refunded, but there is no member", pages)
	}
}

// miscredited compares the ledger with the entries that the checkouts imply.
func miscredited(e evidence, b *rig.Breaches) {
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
	for _, n := range e.entries {
		w, expected := want[n.Key]
		delete(want, n.Key)
		b.If(!expected || n.MemberID != w.MemberID || n.Delta != w.Delta, "%s gets %d for %s", n.MemberID, n.Delta, n.Key)
	}
	for _, w := range want {
		b.Add("%s lacks %d for %s", w.MemberID, w.Delta, w.Key)
	}
}

func misreturned(e evidence, b *rig.Breaches) {
	for _, p := range e.pages {
		b.If(p.refunds > 1, "%s was refunded %d times", p.id, p.refunds)
	}
	for _, c := range e.checkouts {
		double := c.code == checkout.CodeAlreadyMember
		b.If(c.state.Settled() && double != (c.memberID == "") || double && c.state != checkout.Refunded,
			"%s is %s, with the code %q and the member %q", c.id, c.state, c.code, c.memberID)
	}
}

func misrun(e evidence, b *rig.Breaches) {
	b.All(e.failures)
	latest := map[string]flow{}
	for _, r := range e.runs {
		b.If(r.Open(), "%s is open", r.WorkflowID)
		if latest[r.ID].RunID == "" {
			latest[r.ID] = r
		}
	}
	for _, c := range e.checkouts {
		run := latest[c.id]
		delete(latest, c.id)
		asTheRow := run.Result.State == c.state || run.Result.State == checkout.Paid && c.state == checkout.Refunded
		b.If(run.RunID != c.runID || !asTheRow,
			"%s is %s by run %s; the latest, %s, returned %q", c.id, c.state, c.runID, run.RunID, run.Result.State)
	}
	for id := range latest {
		b.Add("a run has no checkout: %s", id)
	}
}

func mispriced(e evidence, b *rig.Breaches) {
	for _, q := range e.quotes {
		if c := e.byID(q.checkoutID); c != nil {
			if d := e.decision(c.decisionID); d == nil || d.finalCents != q.cents || d.personal != q.personal {
				b.Add("buyer %d was shown %d cents for %s, decided was %+v", q.buyer, q.cents, q.checkoutID, d)
			}
		}
	}
	for _, p := range e.pages {
		c := e.byID(p.checkoutID)
		if c == nil {
			b.Add("%s is a page without a checkout", p.id)
			continue
		}
		if d := e.decision(c.decisionID); d == nil || d.finalCents != p.total {
			b.Add("%s charges %d cents, decided was %+v", p.id, p.total, d)
		}
	}
}

// unsteady finds visitors with two personal prices. The test takes less than the 24 hours of a personal price.
func unsteady(e evidence, b *rig.Breaches) {
	prices := map[string]int{}
	for _, d := range e.decisions {
		if d.personal && d.visitor != "" {
			prices[d.visitor]++
		}
	}
	for visitor, n := range prices {
		b.If(n > 1, "visitor %.8s has %d personal prices", visitor, n)
	}
	shown := map[int]int{}
	for _, q := range e.quotes {
		if before, known := shown[q.buyer]; q.personal && known && before != q.cents {
			b.Add("buyer %d was shown %d cents, and then %d", q.buyer, before, q.cents)
		} else if q.personal {
			shown[q.buyer] = q.cents
		}
	}
}

// leftover finds coupons that were not deleted. A coupon that Stripe created after its checkout had failed was
// never shown and expires by itself.
func leftover(e evidence, b *rig.Breaches) {
	for _, k := range e.coupons {
		c, redeemed := e.byID(k.Metadata["checkout"]), k.TimesRedeemed > 0
		if c == nil {
			b.Add("%s is a coupon without a checkout", k.ID)
			continue
		}
		unseen := c.state == checkout.Failed && k.CreatedAt.After(c.endedAt.Time)
		b.If(!k.Deleted && !redeemed && !unseen, "%s is not deleted; its checkout is %s", k.ID, c.state)
		b.If(redeemed && !c.state.Settled(), "%s was used; its checkout is %s", k.ID, c.state)
	}
}

func misheld(e evidence, b *rig.Breaches) {
	held := map[string]int{}
	for _, d := range e.decisions {
		held[d.month] += d.heldCents
	}
	for _, m := range e.months {
		b.If(m.heldCents != held[m.name] || m.heldCents > m.ofCents || m.ofCents != budgetCents,
			"%s holds %d of %d cents, the decisions %d", m.name, m.heldCents, m.ofCents, held[m.name])
		delete(held, m.name)
	}
	for name, cents := range held {
		b.If(cents > 0, "%d cents are held of %q", cents, name)
	}
}

func missing(e evidence, b *rig.Breaches) {
	for _, q := range e.quotes {
		b.If(e.byID(q.checkoutID) == nil, "buyer %d was shown %s, which has no row", q.buyer, q.checkoutID)
	}
	for _, r := range e.receipts {
		c := e.byID(r.checkoutID)
		b.If(c == nil || !c.state.Settled() || c.memberID == "" && c.code != checkout.CodeAlreadyMember,
			"buyer %d was shown that %s is paid: %+v", r.buyer, r.checkoutID, c)
	}
}

func (f facts) unheeded(events []stripe.Event) []string {
	var missed []string
	for _, e := range events {
		money := e.Type == "checkout.session.completed" || e.Type == "charge.refunded"
		if money && !f.handled[e.ID] {
			missed = append(missed, e.ID+" is a payment event that was not handled")
		}
	}
	return missed
}

func deceived(e evidence, b *rig.Breaches) {
	for _, status := range e.forged {
		b.If(status != http.StatusBadRequest, "a forged webhook was answered %d", status)
	}
	for id := range e.handled {
		b.If(rig.Find(e.events, func(v stripe.Event) bool { return v.ID == id }) == nil, "%s is stored, but is no event of Stripe", id)
	}
}

type message struct{ emailID, to string }

// misposted compares the received e-mails with the expected ones: a welcome and a receipt for each new member,
// one for a refund, and one for a duplicate payment.
func misposted(e evidence, b *rig.Breaches) {
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
	facts := map[string]string{} // by e-mail ID
	for _, l := range e.emails {
		facts[l.id] = l.fact
	}
	for _, m := range e.mail {
		fact := facts[m.emailID]
		if to, expected := want[fact]; !expected || to != m.to {
			b.Add("e-mail %s (%s) is unexpected or has the wrong recipient", m.emailID, strings.TrimSpace(fact))
		}
		delete(want, fact)
	}
	for fact := range want {
		b.Add("was not received: %s", fact)
	}
}
