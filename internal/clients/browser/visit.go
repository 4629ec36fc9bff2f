package browser

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"customerzero/internal/clients/egress"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

// visit is one look, from its context to its facts.
type visit struct {
	run   *running
	gate  *egress.Gate
	look  verification.PageRequest
	begun time.Time

	mu      sync.Mutex
	context playwright.BrowserContext // nil: not yet, or closed
	page    playwright.Page
	devices playwright.CDPSession // what Playwright does not tell, Chromium does
	traffic *traffic
	says    *says
	crashed chan struct{} // told when the page's process died
	status  int           // of the document
	loaded  time.Duration
}

func newVisit(run *running, gate *egress.Gate, l verification.PageRequest) *visit {
	l.Within = cmp.Or(l.Within, 15*time.Second)
	return &visit{
		run: run, gate: gate, look: l, begun: time.Now(),
		traffic: newTraffic(), says: &says{}, crashed: make(chan struct{}, 1),
	}
}

type outcome struct {
	seen verification.Capture
	err  error
}

// at returns when all is seen or the time is over, whatever the page and the browser do.
// The place is left when the page is closed, too, which nobody has to wait for.
func (v *visit) at(ctx context.Context, leave func()) (verification.Capture, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	ctx, stop := context.WithTimeoutCause(ctx, v.look.Within,
		problem.New(problem.PageSlow, "The page took more than %s.", v.look.Within))
	result := make(chan outcome, 1)
	v.run.looks.Add(1)
	go v.guard(ctx, cancel)
	go func() {
		defer leave()
		defer v.run.looks.Add(-1)
		defer func() { _ = v.gate.Close() }()
		seen, err := v.see(ctx)
		if err != nil {
			seen, err = verification.Capture{}, v.explain(ctx, err)
		}
		result <- outcome{seen, err}
		stop()
		cancel(nil)
		if !bounded(closing, v.close) {
			v.run.destroy()
		}
	}()
	select {
	case r := <-result:
		return r.seen, r.err
	case <-ctx.Done():
		return v.cutOff(ctx, result)
	}
}

// cutOff waits a little for what was told to end, and then ends it.
func (v *visit) cutOff(ctx context.Context, result <-chan outcome) (verification.Capture, error) {
	cause := context.Cause(ctx)
	for _, force := range []func(){v.run.kill, v.run.destroy} {
		select {
		case r := <-result:
			return r.seen, r.err
		case <-time.After(grace * 3 / 4):
			force()
		}
	}
	return verification.Capture{}, v.explain(ctx, cause)
}

// guard ends the look when more came in than may, or when its browser died.
func (v *visit) guard(ctx context.Context, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(pulse / 4)
	defer tick.Stop()
	defer v.close() // ends the calls that are under way: they know no ctx
	for {
		select {
		case <-ctx.Done():
			return
		case <-v.run.gone:
			cancel(v.run.death())
			return
		case <-v.crashed:
			cancel(v.crash())
			return
		case <-tick.C:
			if v.gate.Over() {
				cancel(errTooMuch)
				return
			}
		}
	}
}

// ready says that there is a context to close.
func (v *visit) ready(made playwright.BrowserContext) {
	v.mu.Lock()
	v.context = made
	v.mu.Unlock()
}

// close ends the context, and with it every call that waits for the page. Who calls it second
// waits for the first.
func (v *visit) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.context != nil {
		_ = v.context.Close()
		v.context = nil
	}
}

// open makes an empty page that is listened to.
func (v *visit) open(ctx context.Context) (err error) {
	made, err := v.run.chrome.NewContext(v.run.settings(v.gate.Addr(), v.look))
	if err != nil {
		return err
	}
	v.ready(made)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	limit := float64(v.look.Within.Milliseconds()) // ours is first
	made.SetDefaultTimeout(limit)
	made.SetDefaultNavigationTimeout(limit)
	if v.page, err = made.NewPage(); err != nil {
		return err
	}
	v.listen(made)
	if v.devices, err = made.NewCDPSession(v.page); err != nil {
		return err
	}
	return v.traffic.follow(v.devices)
}

// listen registers for what a page may do to whom opens it.
func (v *visit) listen(made playwright.BrowserContext) {
	v.page.OnConsole(func(m playwright.ConsoleMessage) {
		if m.Type() == "error" {
			v.says.console(m.Text(), m.Location().URL)
		}
	})
	v.page.OnPageError(v.says.uncaught)
	v.page.OnDialog(func(d playwright.Dialog) {
		v.says.note("A dialog was closed.")
		_ = d.Dismiss()
	})
	v.page.OnDownload(func(playwright.Download) { v.says.note("A download was refused.") })
	v.page.OnCrash(func(playwright.Page) {
		select {
		case v.crashed <- struct{}{}:
		default: // told already
		}
	})
	made.OnPage(func(other playwright.Page) {
		v.says.note("A second window was closed.")
		go func() { _ = other.Close() }()
	})
}
