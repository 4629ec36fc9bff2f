package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
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
	log     *pageLog
	crashed chan struct{} // told when the page's process died
	status  int           // of the document
	loaded  time.Duration
}

func newVisit(run *running, gate *egress.Gate, l verification.PageRequest) *visit {
	l.Within = cmp.Or(l.Within, 15*time.Second)
	return &visit{
		run: run, gate: gate, look: l, begun: time.Now(),
		traffic: newTraffic(), log: &pageLog{}, crashed: make(chan struct{}, 1),
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
			cancel(v.run.deathCause())
			return
		case <-v.crashed:
			cancel(v.crashCause())
			return
		case <-tick.C:
			if v.gate.Over() {
				cancel(errTooMuch)
				return
			}
		}
	}
}

// ready reports that there is a context to close.
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
			v.log.console(m.Text(), m.Location().URL)
		}
	})
	v.page.OnPageError(v.log.uncaught)
	v.page.OnDialog(func(d playwright.Dialog) {
		v.log.note("A dialog was closed.")
		_ = d.Dismiss()
	})
	v.page.OnDownload(func(playwright.Download) { v.log.note("A download was refused.") })
	v.page.OnCrash(func(playwright.Page) {
		select {
		case v.crashed <- struct{}{}:
		default: // told already
		}
	})
	made.OnPage(func(other playwright.Page) {
		v.log.note("A second window was closed.")
		go func() { _ = other.Close() }()
	})
}

func unreachable(sentence string) error { return problem.New(problem.PageUnreachable, "%s", sentence) }

var (
	errNoDocument = unreachable("There is no page at this address.")
	errNotAllowed = unreachable("The page leads to a place that may not be opened.")
	errNoAnswer   = unreachable("The page could not be reached: the site did not answer.")
	errDownload   = unreachable("That is a download, and not a page.")
	errElsewhere  = unreachable("The page did not stay: it went on to another.")

	errTooMuch = problem.New(problem.PageHeavy, "The page sent more than it may.")
	errMemory  = problem.New(problem.PageHeavy, "The page needed more memory than it may have.")
)

// What Chromium calls it, and what we say.
var reasons = map[string]error{
	"ERR_CONNECTION_REFUSED":             errNoAnswer,
	"ERR_CONNECTION_RESET":               unreachable("The page could not be loaded: the connection broke."),
	"ERR_CONNECTION_CLOSED":              unreachable("The page could not be loaded: the connection broke."),
	"ERR_EMPTY_RESPONSE":                 unreachable("The page could not be loaded: the site closed the connection without an answer."),
	"ERR_TOO_MANY_REDIRECTS":             unreachable("The page redirects without an end."),
	"ERR_TUNNEL_CONNECTION_FAILED":       errNoAnswer,
	"ERR_CERT_AUTHORITY_INVALID":         unreachable("The site's certificate is not to be trusted."),
	"ERR_CERT_DATE_INVALID":              unreachable("The site's certificate has expired."),
	"ERR_CERT_COMMON_NAME_INVALID":       unreachable("The site's certificate is for another name."),
	"ERR_INVALID_RESPONSE":               unreachable("The site's answer is no proper HTTP."),
	"ERR_INCOMPLETE_CHUNKED_ENCODING":    unreachable("The page could not be loaded: it broke off."),
	"ERR_CONTENT_LENGTH_MISMATCH":        unreachable("The page could not be loaded: it broke off."),
	"ERR_UNSAFE_REDIRECT":                errNotAllowed,
	"ERR_DISALLOWED_URL_SCHEME":          errNotAllowed,
	"ERR_UNKNOWN_URL_SCHEME":             errNotAllowed,
	"ERR_HTTP_RESPONSE_CODE_FAILURE":     unreachable("The site answered with an error and without a page."),
	"ERR_INVALID_AUTH_CREDENTIALS":       unreachable("The site wants a password."),
	"ERR_UNEXPECTED_PROXY_AUTH":          unreachable("The site wants a password."),
	"ERR_RESPONSE_HEADERS_TOO_BIG":       unreachable("The site's answer has headers that are too long."),
	"ERR_SSL_PROTOCOL_ERROR":             unreachable("The site does not speak proper TLS."),
	"ERR_SSL_VERSION_OR_CIPHER_MISMATCH": unreachable("The site does not speak proper TLS."),
}

var netError = regexp.MustCompile(`net::(ERR_[A-Z0-9_]+)`)

var errCrashed = errors.New("the page's process died")

// explain makes of an error what the caller may know: a problem that is final, the end of its
// own context, or something to try again. The first cause counts: all else follows from it.
func (v *visit) explain(ctx context.Context, err error) error {
	if _, known := errors.AsType[*problem.Error](err); known && ctx.Err() == nil {
		return err
	}
	v.wait(ctx, err)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if v.gate.Over() {
		return errTooMuch
	}
	if code := netError.FindStringSubmatch(err.Error()); code != nil {
		return v.network(code[1])
	}
	switch text := err.Error(); {
	case strings.Contains(text, "Download is starting"):
		return errDownload
	case navigatedAway(err):
		return errElsewhere
	case strings.Contains(text, "Timeout"):
		return problem.New(problem.PageSlow, "The page took more than %s.", v.look.Within)
	}
	return fmt.Errorf("looking at a page: %w", err)
}

// navigatedAway reports that the page went on to another while it was looked at.
func navigatedAway(err error) bool {
	return err != nil && slices.ContainsFunc([]string{
		"context was destroyed", "interrupted by another navigation", "Cannot find context",
		"uniqueContextId not found", "Inspected target navigated",
	}, func(sign string) bool { return strings.Contains(err.Error(), sign) })
}

func (v *visit) network(code string) error {
	if len(v.gate.Refused()) > 0 && (code == "ERR_TUNNEL_CONNECTION_FAILED" || code == "ERR_ABORTED") {
		return errNotAllowed
	}
	if said, ok := reasons[code]; ok {
		return said
	}
	if code == "ERR_ABORTED" {
		return errDownload
	}
	return unreachable("The page could not be opened (" + code + ").")
}

// wait returns a death, of which the calls know first, the time to be seen for what it is.
func (v *visit) wait(ctx context.Context, err error) {
	text := strings.ToLower(err.Error())
	if !strings.Contains(text, "closed") && !strings.Contains(text, "crash") {
		return
	}
	if !v.run.alive() {
		v.run.lost()
	}
	select {
	case <-ctx.Done():
	case <-time.After(noticed):
	}
}

// deathCause is why the browser is gone.
func (r *running) deathCause() error {
	if r.heavy.Load() {
		return errMemory
	}
	return errLost
}

// crashCause is why the page's process is gone. Something else may have killed it, or all of the
// browser, of which the page's process died first.
func (v *visit) crashCause() error {
	select {
	case <-v.run.gone:
		return v.run.deathCause()
	case <-time.After(pulse):
	}
	if v.run.nearMemoryLimit() {
		return errMemory
	}
	return errCrashed
}
