package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// buyers come one after another, so many at once: each is new, gets a price, looks at it for
// as long as the page shows it, and pays. Only the wait for the price is measured.
type buyers struct {
	site   string
	atOnce int
	quotes int           // each of them is somebody else's
	pause  time.Duration // for which the page shows a price before it leads on

	left   atomic.Int64
	mu     sync.Mutex
	waited []time.Duration
}

// run lets all of them buy.
func (b *buyers) run(ctx context.Context) error {
	b.left.Store(int64(b.quotes))
	failures := make([]error, b.atOnce)
	var crowd sync.WaitGroup
	for i := range b.atOnce {
		crowd.Go(func() {
			failures[i] = b.look(ctx, b.pause*time.Duration(i)/time.Duration(b.atOnce)) // they do not come in step
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
	from := fmt.Sprintf("10.%d.%d.%d", number>>16&255, number>>8&255, number&255)
	browser := &http.Client{Jar: jar, Timeout: time.Minute, Transport: network{from}}
	if err := b.post(ctx, browser, "/api/visits", map[string]any{"page": "pricing"}, nil); err != nil {
		return err
	}
	var quote struct {
		PaymentURL string `json:"payment_url"`
	}
	began := time.Now()
	err = b.post(ctx, browser, "/api/dynamic-payment", map[string]any{"service": "founding_membership", "amount_override": 900}, &quote)
	if err != nil {
		return err
	}
	b.note(time.Since(began))
	if err := b.look(ctx, b.pause); err != nil {
		return err
	}
	return b.pay(ctx, browser, quote.PaymentURL, fmt.Sprintf("buyer-%d@example.com", number))
}

// look does nothing for a while, as somebody who reads.
func (b *buyers) look(ctx context.Context, while time.Duration) error {
	select {
	case <-time.After(while):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (b *buyers) note(waited time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waited = append(b.waited, waited)
}

// network is where a buyer comes from.
type network struct{ address string }

// connections are kept: opening one is not what is measured.
var connections = &http.Transport{MaxIdleConnsPerHost: 64}

func (n network) RoundTrip(req *http.Request) (*http.Response, error) {
	req.Header.Set("X-Forwarded-For", n.address)
	return connections.RoundTrip(req)
}

func (b *buyers) post(ctx context.Context, browser *http.Client, path string, body, reply any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.site+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	answer, err := b.do(browser, req, http.StatusOK)
	if err != nil || reply == nil {
		return err
	}
	return json.Unmarshal(answer, reply)
}

func (b *buyers) pay(ctx context.Context, browser *http.Client, page, email string) error {
	form := url.Values{"email": {email}, "card": {"4242"}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, page, bytes.NewBufferString(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", b.site)
	browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	_, err = b.do(browser, req, http.StatusSeeOther)
	return err
}

func (b *buyers) do(browser *http.Client, req *http.Request, want int) ([]byte, error) {
	resp, err := browser.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != want {
		err = fmt.Errorf("%s answered %d: %s", req.URL.Path, resp.StatusCode, answer)
	}
	return answer, err
}
