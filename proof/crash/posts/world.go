// Package posts sends posts through real processes while it kills them, cuts their database
// off, and lets X lose answers, and then holds the books against the timeline.
//
// It is a customer of the product, not a part of it: it speaks HTTP to the API, reads the
// tables, and may not write to them. The product may not import it.
package posts

import (
	"context"

	"customerzero/proof/crash/rig"
)

// CrashTest sends posts.
var CrashTest = rig.CrashTest{Things: "posts", On: crash}

// world is everything that one run of the plan needs.
type world struct {
	*rig.Stage
	plan    plan
	ledger  *ledger
	x       *standIn
	founder *founder
	settled settlement
}

func crash(ctx context.Context, o rig.Options, s *rig.Stage) (rig.Report, error) {
	w := &world{Stage: s, plan: newPlan(o), ledger: &ledger{}, founder: &founder{s.Founder()}}
	if err := w.begin(ctx); err != nil {
		return rig.Report{}, err
	}
	endUnrest := w.Unrest(ctx)
	w.chaos(ctx)
	endUnrest()
	if err := w.calm(ctx); err != nil {
		return rig.Report{}, err
	}
	e, err := w.inspect(ctx)
	return w.report(e), err
}

// begin starts X and the product, and enters the members.
func (w *world) begin(ctx context.Context) error {
	var err error
	if w.x, err = openStandIn(w.Trap); err != nil {
		return err
	}
	w.Later(w.x.close)
	err = w.StartProduct(ctx, "X_BASE_URL="+w.x.url, "X_CONSUMER_KEY="+consumerKey, "X_CONSUMER_SECRET="+consumerSecret,
		"X_ACCESS_TOKEN="+accessToken, "X_ACCESS_SECRET="+accessSecret, "POST_SEND_TIMEOUT="+sendTimeout.String())
	if err != nil {
		return err
	}
	for _, name := range members {
		if err := w.founder.join(ctx, name); err != nil {
			return err
		}
	}
	return w.AwaitReady(ctx)
}
