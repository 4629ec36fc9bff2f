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

// ago returns how old something is.
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

const (
	keysPath  = "/sandbox/x/keys"
	keysLimit = 60 // changes in 15 minutes, so that nobody can fill the file
)

// keys is what keys.html shows, as X's developer console would.
type keys struct {
	Title    string
	App      string
	Accounts []accountKeys
}

type accountKeys struct {
	Account
	Initial       string
	Tone          int
	Token, Secret string // empty: never made, or revoked
	Configured    bool   // the app's settings have a token for the account
}

// routeKeys adds the page on which people make and revoke access tokens.
func (s *Server) routeKeys(mux *http.ServeMux) {
	mux.HandleFunc("GET "+keysPath, s.showKeys)
	mux.HandleFunc("POST "+keysPath, pages.OwnOnly(s.takeKeys))
	mux.HandleFunc("DELETE "+keysPath+"/{id}", pages.OwnOnly(s.deleteKeys))
}

func (s *Server) showKeys(w http.ResponseWriter, _ *http.Request) {
	view := keys{Title: "Keys and tokens · X sandbox", App: s.config.App}
	for _, a := range s.config.accounts() {
		view.Accounts = append(view.Accounts, s.keysOf(a))
	}
	s.render(w, http.StatusOK, "keys.html", "", view)
}

func (s *Server) keysOf(a Account) accountKeys {
	shown := accountKeys{Account: a, Initial: initial(a.Name), Tone: tone(a.ID)}
	if g, found := s.state.grantOf(a.ID); found {
		shown.Token, shown.Secret = g.token, g.secret
	}
	shown.Configured = s.config.AccessToken != "" && a.ID == s.config.UserID
	return shown
}

// takeKeys takes a press of one of the page's buttons.
func (s *Server) takeKeys(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	var change func(userID string) error
	switch r.PostFormValue("action") {
	case "make":
		change = s.makeKeys
	case "revoke":
		change = s.revokeKeys
	default:
		http.Error(w, "The form names no action.", http.StatusBadRequest)
		return
	}
	if account, changed := s.changeKeys(w, r.PostFormValue("account"), change); changed {
		http.Redirect(w, r, keysPath+"#account-"+account.ID, http.StatusSeeOther)
	}
}

// deleteKeys revokes for programs, which press no buttons.
func (s *Server) deleteKeys(w http.ResponseWriter, r *http.Request) {
	if _, changed := s.changeKeys(w, r.PathValue("id"), s.revokeKeys); changed {
		w.WriteHeader(http.StatusNoContent)
	}
}

// changeKeys changes an account's token, or answers why not.
func (s *Server) changeKeys(w http.ResponseWriter, userID string, change func(string) error) (Account, bool) {
	account, known := s.account(userID)
	if !known {
		http.Error(w, "There is no such account.", http.StatusNotFound)
		return Account{}, false
	}
	if _, free := s.limits.consume("keys", keysLimit); !free {
		http.Error(w, "That was often. Try again in a quarter of an hour.", http.StatusTooManyRequests)
		return Account{}, false
	}
	if err := change(userID); err != nil {
		s.storageFailed(err)
		http.Error(w, "This could not be written down.", http.StatusServiceUnavailable)
		return Account{}, false
	}
	return account, true
}

func (s *Server) makeKeys(userID string) error {
	_, err := s.state.grantFor(userID)
	return err
}

// revokeKeys leaves the token of the app's settings alone: revoking is for good, and whoever
// sees the page can press its buttons.
func (s *Server) revokeKeys(userID string) error {
	g, found := s.state.grantOf(userID)
	if !found {
		return nil
	}
	return s.state.revoke(g.token)
}
