package browser

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/playwright-community/playwright-go"
)

// traffic records a page's requests. It reads Chromium's events because Playwright's binding does not report
// requests that failed.
type traffic struct {
	mu       sync.Mutex
	open     map[string]request // running, by Chromium's ID
	known    map[string]request // not finished, including those that settle does not wait for
	count    int
	changed  time.Time // when a request last started or ended
	failures []failedRequest
}

type request struct {
	method string
	url    *url.URL
}

type failedRequest struct {
	request
	reason string
}

func newTraffic() *traffic {
	return &traffic{open: map[string]request{}, known: map[string]request{}, changed: time.Now()}
}

func (t *traffic) follow(session playwright.CDPSession) error {
	session.On("Network.requestWillBeSent", t.sent)
	session.On("Network.responseReceived", t.answered)
	session.On("Network.loadingFinished", t.finished)
	session.On("Network.loadingFailed", t.failed)
	_, err := session.Send("Network.enable", nil)
	return err
}

func (t *traffic) sent(event map[string]any) {
	sent, _ := event["request"].(map[string]any)
	u, err := url.Parse(text(sent, "url"))
	if err != nil || u.Scheme == "data" || u.Scheme == "blob" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r := request{text(sent, "method"), &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}}
	t.known[text(event, "requestId")] = r
	t.count++
	t.changed = time.Now()
	switch text(event, "type") {
	case "EventSource", "WebSocket", "Ping": // stay open, or have no result to wait for
	default:
		t.open[text(event, "requestId")] = r
	}
}

func (t *traffic) answered(event map[string]any) {
	response, _ := event["response"].(map[string]any)
	if status, _ := response["status"].(float64); status >= 400 {
		t.add(text(event, "requestId"), fmt.Sprintf("%.0f", status))
	}
}

func (t *traffic) finished(event map[string]any) { t.ended(text(event, "requestId")) }

func (t *traffic) failed(event map[string]any) {
	id := text(event, "requestId")
	defer t.ended(id)
	if cancelled, _ := event["canceled"].(bool); cancelled {
		return
	}
	reason := strings.TrimPrefix(text(event, "errorText"), "net::ERR_")
	if blocked := text(event, "blockedReason"); blocked != "" {
		reason = "blocked by " + blocked
	}
	t.add(id, strings.ToLower(strings.ReplaceAll(reason, "_", " ")))
}

func (t *traffic) ended(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, id)
	delete(t.known, id)
	t.changed = time.Now()
}

func (t *traffic) add(id, reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, ok := t.known[id]
	if ok && !favicon(r.url) && len(t.failures) < 10*mostLines {
		t.failures = append(t.failures, failedRequest{r, reason})
	}
}

// quiet returns how long no request has been running.
func (t *traffic) quiet(now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open) > 0 {
		return 0
	}
	return now.Sub(t.changed)
}

func (t *traffic) requests() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count
}

// lines describes the failed requests. refused are the proxy's refusals, as "host:port: reason".
func (t *traffic) lines(page *url.URL, refused []string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	listed := map[string]bool{}
	lines := []string{}
	for _, failure := range t.failures {
		target := hostPort(failure.url)
		if isRefused(refused, target) {
			listed[target] = true
			failure.reason = "not allowed"
		}
		lines = append(lines, failure.method+" "+from(page, failure.url)+": "+failure.reason)
	}
	for _, line := range refused {
		if target, _, _ := strings.Cut(line, ": "); !listed[target] {
			lines = append(lines, target+": not allowed")
		}
	}
	return short(lines)
}

func isRefused(refused []string, target string) bool {
	for _, line := range refused {
		if strings.HasPrefix(line, target+": ") {
			return true
		}
	}
	return false
}

// from returns a URL as seen from a page: its path, or scheme and host too if they differ.
func from(page, u *url.URL) string {
	path := u.EscapedPath()
	if page != nil && u.Scheme == page.Scheme && u.Host == page.Host {
		return path
	}
	return u.Scheme + "://" + u.Host + path
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "ws": "80", "https": "443", "wss": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// favicon reports whether Chromium requests the URL by itself.
func favicon(u *url.URL) bool { return u.Path == "/favicon.ico" }

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

const (
	mostLines = 20
	mostChars = 300
	mostText  = 4 << 10 // bytes
)

// pageLog keeps a page's console errors, and notes about its refused dialogs, downloads and windows.
type pageLog struct {
	mu     sync.Mutex
	errors []string
	notes  []string
}

func (s *pageLog) console(text, place string) {
	u, err := url.Parse(place)
	if err == nil && favicon(u) {
		return
	}
	if err == nil && strings.HasPrefix(text, "Failed to load resource") {
		text += ": " + u.EscapedPath() // Chromium's text does not name it
	}
	s.add(&s.errors, text)
}

func (s *pageLog) uncaught(err error) {
	line, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "playwright: "), "\n")
	s.add(&s.errors, "Uncaught: "+line)
}

func (s *pageLog) note(sentence string) { s.add(&s.notes, sentence) }

// query matches the query or fragment of a URL in a text, which may hold personal data.
var query = regexp.MustCompile(`(\w://[^\s'"?#]*)[?#][^\s'"]*`)

func (s *pageLog) add(to *[]string, line string) {
	line = cut(query.ReplaceAllString(line, "$1"), mostChars)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(*to) < mostLines && !slices.Contains(*to, line) {
		*to = append(*to, line)
	}
}

func (s *pageLog) all() (console, notes []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.errors), slices.Clone(s.notes)
}

// short returns the first mostLines distinct lines, each cut to mostChars.
func short(lines []string) []string {
	var kept []string
	for _, line := range lines {
		line = cut(line, mostChars)
		if len(kept) < mostLines && !slices.Contains(kept, line) {
			kept = append(kept, line)
		}
	}
	return kept
}

// cut returns at most most characters of valid UTF-8.
func cut(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// cutBytes returns at most most bytes of valid UTF-8.
func cutBytes(s string, most int) string {
	if len(s) <= most {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:most], "")
}
