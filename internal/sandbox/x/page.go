package x

import (
	"embed"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"customerzero/internal/domain/post"
	"customerzero/internal/sandbox/pages"
)

//go:embed pages
var files embed.FS

var site = pages.New("/sandbox/x", files)

const tweetsPerPage = 50

// routePages adds what people see. All of it lives under /sandbox/x, so that the product
// can show it under its own origin.
func (s *Server) routePages(mux *http.ServeMux) {
	mux.HandleFunc("GET /sandbox/x", s.showTimeline)
	mux.Handle("GET /sandbox/x/{$}", http.RedirectHandler("/sandbox/x", http.StatusMovedPermanently))
	mux.HandleFunc("GET /sandbox/x/status/{id}", s.showTweet)
	mux.HandleFunc("GET /sandbox/x/timeline.json", s.timelineJSON)
	site.Route(mux)
}

// page is what timeline.html shows.
type page struct {
	Title   string
	Account Account
	Total   int
	Tweets  []tweetView
	Single  bool
	Faults  []string
	Pager   pager
}

// pager names the pages beside this one; 0: there is none.
type pager struct{ Page, Pages, Newer, Older int }

// showTimeline is the timeline as people would see it.
func (s *Server) showTimeline(w http.ResponseWriter, r *http.Request) {
	tweets := s.state.visible()
	number, _ := strconv.Atoi(r.URL.Query().Get("page"))
	p := newPager(number, len(tweets))
	from := (p.Page - 1) * tweetsPerPage
	s.render(w, http.StatusOK, "timeline.html", "", page{
		Title: "X sandbox", Account: s.config.accounts()[0], Total: len(tweets), Faults: s.faults.Describe(), Pager: p,
		Tweets: s.views(tweets[from:min(from+tweetsPerPage, len(tweets))]),
	})
}

func newPager(number, tweets int) pager {
	p := pager{Pages: max(1, (tweets+tweetsPerPage-1)/tweetsPerPage)}
	p.Page = min(max(number, 1), p.Pages)
	p.Newer = p.Page - 1
	if p.Page < p.Pages {
		p.Older = p.Page + 1
	}
	return p
}

// showTweet is one tweet's own page, to link to.
func (s *Server) showTweet(w http.ResponseWriter, r *http.Request) {
	p := page{Title: "Post not found · X sandbox", Account: s.config.accounts()[0], Single: true, Faults: s.faults.Describe()}
	status := http.StatusNotFound
	if t, found := s.state.tweet(r.PathValue("id")); found {
		p.Tweets, status = s.views([]Tweet{t}), http.StatusOK
		p.Title = p.Tweets[0].Author.Name + " on the X sandbox"
	}
	s.render(w, status, "timeline.html", "", p)
}

// render writes a page. formTo is the origin, if any, that a form on it may lead to.
func (s *Server) render(w http.ResponseWriter, status int, name, formTo string, data any) {
	if err := site.Render(w, status, name, pages.Policy{Forms: "'self' " + formTo}, data); err != nil {
		s.config.Log.Error("x sandbox: a page cannot be shown", "page", name, "error", err)
	}
}

// tweetView is a tweet as the page shows it.
type tweetView struct {
	Tweet
	Author  Account
	Initial string
	Tone    int // which of the avatar's colours
	Parts   []part
	Ago     string
	Exact   string
	Machine string
	Counts  []count
}

// part is a stretch of text; with URL, a link.
type part struct{ Text, URL string }

// count is one of the public metrics.
type count struct {
	Name  string // of the icon, too
	Label string
	Value string
}

const avatarTones = 6

func (s *Server) views(tweets []Tweet) []tweetView {
	views := make([]tweetView, 0, len(tweets))
	for _, t := range tweets {
		views = append(views, s.view(t))
	}
	return views
}

func (s *Server) view(t Tweet) tweetView {
	author, known := s.account(t.AuthorID)
	if !known {
		author = Account{ID: t.AuthorID, Username: "user" + t.AuthorID, Name: "A former account"}
	}
	at := t.CreatedAt.UTC()
	return tweetView{
		Tweet: t, Author: author, Initial: initial(author.Name), Tone: tone(author.ID),
		Parts: parts(t.Text), Ago: ago(s.config.Now().Sub(at)),
		Exact: at.Format("2 Jan 2006, 15:04:05 UTC"), Machine: at.Format(time.RFC3339),
		Counts: counts(s.metrics(t)),
	}
}

func initial(name string) string {
	r, _ := utf8.DecodeRuneInString(strings.TrimSpace(name))
	return strings.ToUpper(string(r))
}

func tone(id string) int {
	sum := 0
	for _, digit := range id {
		sum += int(digit)
	}
	return sum % avatarTones
}

// parts cuts a text at its links.
func parts(text string) []part {
	var cut []part
	pos := 0
	for _, span := range post.URLs(text) {
		raw := text[span[0]:span[1]]
		cut = append(cut, part{Text: text[pos:span[0]]}, part{Text: displayURL(raw), URL: expandedURL(raw)})
		pos = span[1]
	}
	return append(cut, part{Text: text[pos:]})
}

// ago says how old something is.
func ago(age time.Duration) string {
	switch {
	case age < time.Minute:
		return "just now"
	case age < time.Hour:
		return strconv.Itoa(int(age/time.Minute)) + " min ago"
	case age < 24*time.Hour:
		return strconv.Itoa(int(age/time.Hour)) + " h ago"
	case age < 48*time.Hour:
		return "1 day ago"
	default:
		return strconv.Itoa(int(age/(24*time.Hour))) + " days ago"
	}
}

func counts(m Metrics) []count {
	return []count{
		{"reply", "replies", thousands(m.Replies)},
		{"repost", "reposts", thousands(m.Reposts + m.Quotes)},
		{"like", "likes", thousands(m.Likes)},
		{"view", "views", thousands(m.Impressions)},
	}
}

// thousands groups digits: 12,345.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
