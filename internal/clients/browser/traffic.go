package browser

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"
)

// traffic follows what a page asks for. Playwright's binding would do, but that it never tells
// of requests that failed; so it is read from Chromium itself.
type traffic struct {
	mu      sync.Mutex
	open    map[string]request // under way, by Chromium's ID
	known   map[string]request // those that did not end, the ones that nobody waits for among them
	count   int
	changed time.Time // when something last began or ended
	trouble []trouble
}

type request struct {
	method string
	url    *url.URL
}

type trouble struct {
	request
	what string
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
	asked, _ := event["request"].(map[string]any)
	u, err := url.Parse(word(asked, "url"))
	if err != nil || u.Scheme == "data" || u.Scheme == "blob" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r := request{word(asked, "method"), &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}}
	t.known[word(event, "requestId")] = r
	t.count++
	t.changed = time.Now()
	switch word(event, "type") {
	case "EventSource", "WebSocket", "Ping": // stay open, or nobody waits for them
	default:
		t.open[word(event, "requestId")] = r
	}
}

func (t *traffic) answered(event map[string]any) {
	response, _ := event["response"].(map[string]any)
	if status, _ := response["status"].(float64); status >= 400 {
		t.add(word(event, "requestId"), fmt.Sprintf("%.0f", status))
	}
}

func (t *traffic) finished(event map[string]any) { t.ended(word(event, "requestId")) }

func (t *traffic) failed(event map[string]any) {
	id := word(event, "requestId")
	defer t.ended(id)
	if cancelled, _ := event["canceled"].(bool); cancelled {
		return
	}
	what := strings.TrimPrefix(word(event, "errorText"), "net::ERR_")
	if reason := word(event, "blockedReason"); reason != "" {
		what = "blocked by " + reason
	}
	t.add(id, strings.ToLower(strings.ReplaceAll(what, "_", " ")))
}

func (t *traffic) ended(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, id)
	delete(t.known, id)
	t.changed = time.Now()
}

func (t *traffic) add(id, what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, ok := t.known[id]
	if ok && !favicon(r.url) && len(t.trouble) < 10*mostLines {
		t.trouble = append(t.trouble, trouble{r, what})
	}
}

// quiet says that nothing is under way, and for how long.
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

// lines says what failed; refused is what the gate did not let through, "host:port: why".
func (t *traffic) lines(page *url.URL, refused []string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	told := map[string]bool{}
	lines := []string{}
	for _, trouble := range t.trouble {
		target := hostPort(trouble.url)
		if isRefused(refused, target) {
			told[target] = true
			trouble.what = "not allowed"
		}
		lines = append(lines, trouble.method+" "+from(page, trouble.url)+": "+trouble.what)
	}
	for _, line := range refused {
		if target, _, _ := strings.Cut(line, ": "); !told[target] {
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

// from names an address as seen from a page: by its path, or with its host when that is another.
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

// favicon is what full Chromium asks for by itself.
func favicon(u *url.URL) bool { return u.Path == "/favicon.ico" }

func word(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}
