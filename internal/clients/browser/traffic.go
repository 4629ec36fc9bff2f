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

// quiet reports that nothing is under way, and for how long.
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

// lines describes what failed; refused is what the gate did not let through, "host:port: why".
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

const (
	mostLines = 20
	mostChars = 300
	mostText  = 4 << 10 // bytes
)

// pageLog keeps what a page said to its console, and what it did that nobody wanted.
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
		text += ": " + u.EscapedPath() // the text does not say which
	}
	s.add(&s.errors, text)
}

func (s *pageLog) uncaught(err error) {
	line, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "playwright: "), "\n")
	s.add(&s.errors, "Uncaught: "+line)
}

func (s *pageLog) note(sentence string) { s.add(&s.notes, sentence) }

// query is what an address in a text ends with: it may hold what is nobody's business.
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

// short keeps of every line the beginning, of many lines the first, and each once.
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

// cut keeps the first characters of a text, whatever it is made of.
func cut(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// cutBytes keeps the first bytes of a text, and no half of a character.
func cutBytes(s string, most int) string {
	if len(s) <= most {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:most], "")
}
