package checkouts

import (
	"context"
	"time"

	"customerzero/internal/sandbox/stripe"
	"customerzero/proof/cluster"
)

// forge sends webhooks that Stripe did not send, each about the newest page: it was paid,
// they say.
func (w *world) forge(ctx context.Context) {
	for n := 0; cluster.Wait(ctx, 400*time.Millisecond); n++ {
		kind := stripe.Forgeries[n%len(stripe.Forgeries)]
		status, err := w.stripe.Forge(ctx, kind)
		if err != nil {
			continue // the API is dead
		}
		w.ledger.forgery(status)
	}
}
