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

// visit is one visit to a page, from its context to its facts.
type visit struct {
	run     *running
	proxy   *egress.Proxy
	request verification.PageRequest
	isPage  func(url string) bool
	begun   time.Time

	mu       sync.Mutex
	context  playwright.BrowserContext // nil: not open
	page     playwright.Page
	devtools playwright.CDPSession // for what Playwright does not expose
	traffic  *traffic
	log      *pageLog
	crashed  chan struct{} // receives when the renderer died
	status   int           // of the document
	loaded   time.Duration
}

func newVisit(run *running, proxy *egress.Proxy, l verification.PageRequest, isPage func(string) bool) *visit {
	l.Within = cmp.Or(l.Within, 15*time.Second)
	return &visit{
		run: run, proxy: proxy, request: l, isPage: isPage, begun: time.Now(),
		traffic: newTraffic(), log: &pageLog{}, crashed: make(chan struct{}, 1),
	}
}

type outcome struct {
	seen verification.Capture
	err  error
}

// at returns when the visit is complete or its time is over, even if the page or the browser hangs. It calls
// leave once the page is closed, which may be later.
func (v *visit) at(ctx context.Context, leave func()) (verification.Capture, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	ctx, stop := context.WithTimeoutCause(ctx, v.request.Within,
		problem.New(problem.PageSlow, "The page took more than %s.", v.request.Within))
	result := make(chan outcome, 1)
	v.run.visits.Add(1)
	go v.guard(ctx, cancel)
	go func() {
		defer leave()
		defer v.run.visits.Add(-1)
		defer func() { _ = v.proxy.Close() }()
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

// cutOff waits for a canceled visit to end, and kills first the browser and then its driver if it does not.
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

// guard cancels the visit when the proxy's limit is exceeded or the browser died.
func (v *visit) guard(ctx context.Context, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(pulse / 4)
	defer tick.Stop()
	defer v.close() // ends running calls, which take no context
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
			if v.proxy.Over() {
				cancel(errTooMuch)
				return
			}
		}
	}
}

func (v *visit) ready(made playwright.BrowserContext) {
	v.mu.Lock()
	v.context = made
	v.mu.Unlock()
}

// close closes the context and thereby ends every pending call. A second caller waits for the first.
func (v *visit) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.context != nil {
		_ = v.context.Close()
		v.context = nil
	}
}

// open opens an empty page and registers its listeners.
func (v *visit) open(ctx context.Context) (err error) {
	made, err := v.run.chrome.NewContext(v.run.settings(v.proxy.Addr(), v.request))
	if err != nil {
		return err
	}
	v.ready(made)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	limit := float64(v.request.Within.Milliseconds()) // our own timeout fires first
	made.SetDefaultTimeout(limit)
	made.SetDefaultNavigationTimeout(limit)
	if v.page, err = made.NewPage(); err != nil {
		return err
	}
	v.listen(made)
	if v.devtools, err = made.NewCDPSession(v.page); err != nil {
		return err
	}
	return v.traffic.follow(v.devtools)
}

// listen records console errors, and closes the dialogs, downloads and windows that a page opens.
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
		default: // already reported
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
	errNotAllowed = unreachable("The page leads to an address that is not allowed.")
	errNoAnswer   = unreachable("The page could not be reached: the site did not respond.")
	errDownload   = unreachable("The URL is a download, not a page.")
	errElsewhere  = unreachable("The page kept navigating to other pages.")

	errTooMuch = problem.New(problem.PageHeavy, "The page exceeded its download limit.")
	errMemory  = problem.New(problem.PageHeavy, "The page exceeded its memory limit.")
)

// reasons maps Chromium's network errors to ours.
var reasons = map[string]error{
	"ERR_CONNECTION_REFUSED":             errNoAnswer,
	"ERR_CONNECTION_RESET":               unreachable("The page could not be loaded: the connection broke."),
	"ERR_CONNECTION_CLOSED":              unreachable("The page could not be loaded: the connection broke."),
	"ERR_EMPTY_RESPONSE":                 unreachable("The page could not be loaded: the site closed the connection without a response."),
	"ERR_TOO_MANY_REDIRECTS":             unreachable("The page redirects in a loop."),
	"ERR_TUNNEL_CONNECTION_FAILED":       errNoAnswer,
	"ERR_CERT_AUTHORITY_INVALID":         unreachable("The site's certificate is not trusted."),
	"ERR_CERT_DATE_INVALID":              unreachable("The site's certificate has expired."),
	"ERR_CERT_COMMON_NAME_INVALID":       unreachable("The site's certificate is for another name."),
	"ERR_INVALID_RESPONSE":               unreachable("The site's response is not valid HTTP."),
	"ERR_INCOMPLETE_CHUNKED_ENCODING":    unreachable("The page could not be loaded: the response was cut short."),
	"ERR_CONTENT_LENGTH_MISMATCH":        unreachable("The page could not be loaded: the response was cut short."),
	"ERR_UNSAFE_REDIRECT":                errNotAllowed,
	"ERR_DISALLOWED_URL_SCHEME":          errNotAllowed,
	"ERR_UNKNOWN_URL_SCHEME":             errNotAllowed,
	"ERR_HTTP_RESPONSE_CODE_FAILURE":     unreachable("The site returned an error without a page."),
	"ERR_INVALID_AUTH_CREDENTIALS":       unreachable("The site requires a password."),
	"ERR_UNEXPECTED_PROXY_AUTH":          unreachable("The site requires a password."),
	"ERR_RESPONSE_HEADERS_TOO_BIG":       unreachable("The site's response headers are too large."),
	"ERR_SSL_PROTOCOL_ERROR":             unreachable("The TLS handshake with the site failed."),
	"ERR_SSL_VERSION_OR_CIPHER_MISMATCH": unreachable("The TLS handshake with the site failed."),
}

var netError = regexp.MustCompile(`net::(ERR_[A-Z0-9_]+)`)

var errCrashed = errors.New("the page's process died")

// explain converts an error to a final problem, the cause of the context's end, or a retryable error. The first
// cause counts, because later errors follow from it.
func (v *visit) explain(ctx context.Context, err error) error {
	if _, known := errors.AsType[*problem.Error](err); known && ctx.Err() == nil {
		return err
	}
	v.wait(ctx, err)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if v.proxy.Over() {
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
		return problem.New(problem.PageSlow, "The page took more than %s.", v.request.Within)
	}
	return fmt.Errorf("capture a page: %w", err)
}

// navigatedAway reports whether the page navigated while it was captured.
func navigatedAway(err error) bool {
	return err != nil && slices.ContainsFunc([]string{
		"context was destroyed", "interrupted by another navigation", "Cannot find context",
		"uniqueContextId not found", "Inspected target navigated",
	}, func(part string) bool { return strings.Contains(err.Error(), part) })
}

func (v *visit) network(code string) error {
	if len(v.proxy.Refused()) > 0 && (code == "ERR_TUNNEL_CONNECTION_FAILED" || code == "ERR_ABORTED") {
		return errNotAllowed
	}
	if known, ok := reasons[code]; ok {
		return known
	}
	if code == "ERR_ABORTED" {
		return errDownload
	}
	return unreachable("The page could not be opened (" + code + ").")
}

// wait gives the watchers time to detect a crash, which the failing calls see first.
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

// deathCause returns why the browser died.
func (r *running) deathCause() error {
	if r.heavy.Load() {
		return errMemory
	}
	return errLost
}

// crashCause returns why the renderer died: of its memory, with the whole browser, or for another reason.
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
