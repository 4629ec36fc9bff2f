package browser

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"customerzero/internal/domain/problem"
)

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
	case moved(err):
		return errElsewhere
	case strings.Contains(text, "Timeout"):
		return problem.New(problem.PageSlow, "The page took more than %s.", v.look.Within)
	}
	return fmt.Errorf("looking at a page: %w", err)
}

// moved says that the page went on to another while it was looked at.
func moved(err error) bool {
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

// wait gives a death, of which the calls know first, the time to be seen for what it is.
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

// death is why the browser is gone.
func (r *running) death() error {
	if r.heavy.Load() {
		return errMemory
	}
	return errLost
}

// crash is why the page's process is gone. Something else may have killed it, or all of the
// browser, of which the page's process died first.
func (v *visit) crash() error {
	select {
	case <-v.run.gone:
		return v.run.death()
	case <-time.After(pulse):
	}
	if v.run.outgrew() {
		return errMemory
	}
	return errCrashed
}
