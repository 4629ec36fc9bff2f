package checkouts

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"customerzero/internal/domain/checkout"
	"customerzero/proof/crash/rig"
)

// inspect gathers all evidence, when everything is quiet.
func (w *world) inspect(ctx context.Context) (evidence, error) {
	found, err := readFacts(ctx, w.DB.Books())
	e := evidence{
		facts: found, pages: w.stripe.money(), coupons: w.stripe.discounts(), events: w.stripe.events(), mail: w.mail.letters(), quotes: w.ledger.quotes,
		receipts: w.ledger.paid, strange: w.ledger.strange, stuck: w.stuck, believed: w.ledger.believed(),
	}
	for _, n := range w.ledger.forged {
		e.forgeries += n
	}
	var errRuns, errFailures, errLeaks error
	e.runs, errRuns = w.readRuns(ctx)
	e.failures, errFailures = w.readFailures(ctx)
	e.leaks, errLeaks = w.findLeaks(ctx)
	return e, errors.Join(err, errRuns, errFailures, errLeaks)
}

// letters lists what came, by the letter that its Message-ID names.
func (p *postbox) letters() []message {
	var came []message
	for _, m := range p.Messages() {
		id, _, _ := strings.Cut(strings.Trim(m.Headers["Message-ID"], "<>"), "@")
		came = append(came, message{id, strings.Join(m.To, " ")})
	}
	return came
}

// report holds the evidence against every promise.
func (w *world) report(e evidence) rig.Report {
	r := rig.Report{Figures: w.figures(e)}
	for _, i := range invariants {
		r.Verdicts = append(r.Verdicts, rig.Verdict{Promise: i.promise, Breaches: i.broken(e)})
	}
	return r
}

func (w *world) figures(e evidence) []rig.Figure {
	states, doubles, discounts := map[checkout.State]int{}, 0, 0
	for _, c := range e.checkouts {
		states[c.state]++
		if c.code == checkout.CodeAlreadyMember {
			doubles++
		}
		if d := e.decision(c.decisionID); d != nil && d.percent > 0 {
			discounts++
		}
	}
	lines := []rig.Figure{
		{Name: "buyers", Value: fmt.Sprintf("%d (%d calls repeated, %d prices told, %d came after the end)",
			len(w.plan.buyers), w.ledger.repeats, len(e.quotes), w.ledger.late)},
		{Name: "checkouts", Value: fmt.Sprintf("%d (%d with a discount)", len(e.checkouts), discounts)},
	}
	for _, s := range slices.Sorted(maps.Keys(states)) {
		lines = append(lines, rig.Figure{Name: "  " + string(s), Value: strconv.Itoa(states[s])})
	}
	lines = append(lines,
		rig.Figure{Name: "members", Value: strconv.Itoa(len(e.members))},
		rig.Figure{Name: "paid twice", Value: strconv.Itoa(doubles)},
		rig.Figure{Name: "letters", Value: strconv.Itoa(len(e.mail))},
		rig.Figure{Name: "runs", Value: strconv.Itoa(len(e.runs))},
		rig.Figure{Name: "events at Stripe", Value: fmt.Sprintf("%d (%d reached the books)", len(e.events), len(e.heeded))},
		rig.Figure{Name: "forged webhooks", Value: strconv.Itoa(e.forgeries)},
	)
	for _, kind := range slices.Sorted(maps.Keys(w.faults)) {
		lines = append(lines, rig.Figure{Name: "fault on " + kind, Value: strconv.Itoa(w.faults[kind])})
	}
	return lines
}
