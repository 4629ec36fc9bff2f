package browser

import (
	"context"
	_ "embed" // the script
	"net/url"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"customerzero/internal/domain/verification"
)

const (
	calm    = 150 * time.Millisecond // without requests: a page is settled
	settled = 5 * time.Second        // at most: some pages never are
	tries   = 3                      // for pages that go on to another
)

//go:embed idle.js
var idleScript string

// see opens the page and looks. The picture comes first: the rest may take its time.
func (v *visit) see(ctx context.Context) (seen verification.Seen, err error) {
	if err := v.open(ctx); err != nil {
		return seen, err
	}
	if err := v.goTo(); err != nil {
		return seen, err
	}
	for range tries {
		if !v.look.Quick {
			v.settle(ctx)
		}
		seen, err = v.capture()
		if !moved(err) {
			break
		}
	}
	return seen, err
}

// capture fails when the page goes elsewhere meanwhile.
func (v *visit) capture() (seen verification.Seen, err error) {
	if err := v.photograph(&seen); err != nil {
		return seen, err
	}
	if err := v.describe(&seen.Facts); err != nil {
		return seen, err
	}
	return seen, v.sum(&seen.Facts)
}

func (v *visit) goTo() error {
	if !strings.HasPrefix(v.look.URL, "http://") && !strings.HasPrefix(v.look.URL, "https://") {
		return errNotAllowed // no proxy stands before files
	}
	asked := time.Now()
	response, err := v.page.Goto(v.look.URL, playwright.PageGotoOptions{WaitUntil: playwright.WaitUntilStateLoad})
	if err != nil {
		return err
	}
	v.loaded = time.Since(asked)
	if response == nil {
		return errNoDocument
	}
	v.status = response.Status()
	if u, err := url.Parse(response.URL()); err == nil && isRefused(v.gate.Refused(), hostPort(u)) {
		return errNotAllowed
	}
	if v.status >= 400 && v.gate.Bytes() == 0 {
		return errNoAnswer // that was the gate's own
	}
	return nil
}

// settle waits until the page asks for nothing more, and has shown what it got: its thread is
// idle, its fonts are there, and no part says that it is busy. Playwright's networkidle takes half
// a second at least, never comes on pages that poll, and knows nothing of the rest.
func (v *visit) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settled)
	defer cancel()
	tick := time.NewTicker(calm / 10)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if v.traffic.quiet(now) >= calm && v.idle() && v.traffic.quiet(time.Now()) >= calm {
				return
			}
		}
	}
}

// idle asks the page whether it is done. A page that cannot tell is not.
func (v *visit) idle() (ready bool) {
	world, err := v.world()
	return err == nil && world.run(idleScript, &ready) == nil && ready
}

// sum adds what was heard meanwhile. A page can leave by a script, too.
func (v *visit) sum(f *verification.Facts) error {
	page, err := url.Parse(v.page.URL())
	if err != nil || isRefused(v.gate.Refused(), hostPort(page)) {
		return errNotAllowed
	}
	bare := url.URL{Scheme: page.Scheme, Host: page.Host, Path: page.Path, RawPath: page.RawPath}
	f.FinalURL = cut(bare.String(), mostChars)
	f.Status = v.status
	f.Console, f.Notes = v.says.all()
	f.Failed = v.traffic.lines(page, v.gate.Refused())
	f.Requests = v.traffic.requests()
	f.Bytes = v.gate.Bytes()
	f.LoadMS = int(v.loaded.Milliseconds())
	f.TookMS = int(time.Since(v.begun).Milliseconds())
	f.Browser = v.run.version
	return nil
}
