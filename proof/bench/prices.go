package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"sync"
	"sync/atomic"
	"time"

	"customerzero/proof/crash/rig"
)

// quoteTarget is the target of the p95 of the wait for a price.
const quoteTarget = 150 * time.Millisecond

const (
	buyersAtOnce = 20
	quotes       = 200
	priceShown   = 3 * time.Second // between the price and the payment
)

func (b *bench) prices(ctx context.Context) (found []figure, err error) {
	err = b.onFresh(ctx, func(up *upProduct) error {
		warm := &buyers{site: up.site, atOnce: buyersAtOnce, quotes: buyersAtOnce}
		crowd := &buyers{site: up.site, atOnce: buyersAtOnce, quotes: quotes, pause: priceShown}
		err := errors.Join(warm.run(ctx), crowd.run(ctx))
		found = priceFigures(buyersAtOnce, crowd.waited.All())
		return err
	})
	return found, err
}

func priceFigures(atOnce int, waited []time.Duration) []figure {
	wait := func(what string, share float64, held target) figure {
		return figure{
			Subject: "Prices", What: fmt.Sprintf("wait for a price, %d buyers at once: %s", atOnce, what), Unit: "ms",
			Ours: inMS(at(waited, share)), Target: held,
		}
	}
	return []figure{
		wait("median", 0.5, target{}), wait("p95", 0.95, atMost(inMS(quoteTarget))), wait("slowest", 1, target{}),
	}
}

// buyers are concurrent sequences of new buyers: each requests a price, waits as long as the page shows it, and
// pays. Only the wait for the price is measured.
type buyers struct {
	site   string
	atOnce int
	quotes int           // one per buyer
	pause  time.Duration // for which the page shows a price before it redirects

	left   atomic.Int64
	waited rig.Notes[time.Duration]
}

func (b *buyers) run(ctx context.Context) error {
	b.left.Store(int64(b.quotes))
	failures := make([]error, b.atOnce)
	var crowd sync.WaitGroup
	for i := range b.atOnce {
		crowd.Go(func() {
			failures[i] = pass(ctx, b.pause*time.Duration(i)/time.Duration(b.atOnce)) // they must not run in step
			for b.left.Add(-1) >= 0 && failures[i] == nil {
				failures[i] = b.buy(ctx, b.left.Load())
			}
		})
	}
	crowd.Wait()
	return errors.Join(failures...)
}

// buy is one buyer's visit, from the pricing page to the payment.
func (b *buyers) buy(ctx context.Context, number int64) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	browser := from(b.site, fmt.Sprintf("10.%d.%d.%d", number>>16&255, number>>8&255, number&255))
	browser.HTTP.Jar = jar
	browser.Header.Set("Origin", b.site)
	if err := ask(ctx, browser, http.MethodPost, "/api/visits", map[string]any{"page": "pricing"}, nil); err != nil {
		return err
	}
	var quote struct {
		PaymentURL string `json:"payment_url"`
	}
	began := time.Now()
	err = ask(ctx, browser, http.MethodPost, "/api/dynamic-payment", map[string]any{"service": "founding_membership", "amount_override": 900}, &quote)
	if err != nil {
		return err
	}
	b.waited.Add(time.Since(began))
	if err := pass(ctx, b.pause); err != nil {
		return err
	}
	if status := rig.Pay(ctx, quote.PaymentURL, fmt.Sprintf("buyer-%d@example.com", number), "4242"); status != http.StatusSeeOther {
		return fmt.Errorf("a payment was answered %d", status)
	}
	return nil
}
