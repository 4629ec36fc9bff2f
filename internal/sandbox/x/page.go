package x

import (
	"embed"
	"net/http"
	"time"

	"customerzero/internal/domain/post"
	"customerzero/internal/sandbox/pages"
)

//go:embed pages
var files embed.FS

var site = pages.New("/sandbox/x", files)

const tweetsShown = 100

// routePages serves the pages under /sandbox/x, so that the product can include them in its own origin.
func (s *Server) routePages(mux *http.ServeMux) {
	mux.HandleFunc("GET /sandbox/x", s.showTimeline)
	mux.Handle("GET /sandbox/x/{$}", http.RedirectHandler("/sandbox/x", http.StatusMovedPermanently))
	mux.HandleFunc("GET /sandbox/x/status/{id}", s.showTweet)
	mux.HandleFunc("GET /sandbox/x/timeline.json", s.timelineJSON)
	site.Route(mux)
}

// page is the data of timeline.html.
type page struct {
	Title   string
	Account Account
	Total   int
	Tweets  []tweetView
	Single  bool
	Faults  []string
}

// showTimeline shows the newest visible tweets.
func (s *Server) showTimeline(w http.ResponseWriter, _ *http.Request) {
	tweets := s.state.visible()
	s.render(w, http.StatusOK, "timeline.html", "", page{
		Title: "X sandbox", Account: s.config.accounts()[0], Total: len(tweets), Faults: s.faults.Describe(),
		Tweets: s.views(tweets[:min(len(tweets), tweetsShown)]),
	})
}

// showTweet shows one tweet.
func (s *Server) showTweet(w http.ResponseWriter, r *http.Request) {
	p := page{Title: "Post not found · X sandbox", Account: s.config.accounts()[0], Single: true, Faults: s.faults.Describe()}
	status := http.StatusNotFound
	if t, found := s.state.tweet(r.PathValue("id")); found {
		p.Tweets, status = s.views([]Tweet{t}), http.StatusOK
		p.Title = p.Tweets[0].Author.Name + " on the X sandbox"
	}
	s.render(w, status, "timeline.html", "", p)
}

// render writes a page. formTo is the origin that its form redirects to, if any.
func (s *Server) render(w http.ResponseWriter, status int, name, formTo string, data any) {
	site.Render(w, s.config.Log, status, name, pages.Policy{Forms: "'self' " + formTo}, data)
}

// tweetView is a tweet as shown on the pages.
type tweetView struct {
	Tweet
	Author  Account
	Metrics Metrics
	Parts   []part
	Exact   string
	Machine string
}

// part is a part of a text; with URL, it is a link.
type part struct{ Text, URL string }

func (s *Server) views(tweets []Tweet) []tweetView {
	views := make([]tweetView, 0, len(tweets))
	for _, t := range tweets {
		author, known := s.account(t.AuthorID)
		if !known {
			author = Account{ID: t.AuthorID, Username: "user" + t.AuthorID, Name: "A former account"}
		}
		at := t.CreatedAt.UTC()
		views = append(views, tweetView{
			Tweet: t, Author: author, Metrics: s.metrics(t), Parts: parts(t.Text),
			Exact: at.Format("2 Jan 2006, 15:04:05 UTC"), Machine: at.Format(time.RFC3339),
		})
	}
	return views
}

// parts splits a text at its links.
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

const keysPath = "/sandbox/x/keys"

// keys is the data of keys.html, which corresponds to X's developer console.
type keys struct {
	Title    string
	App      string
	Accounts []accountKeys
}

type accountKeys struct {
	Account
	Token, Secret string // empty: not created, or revoked
	Configured    bool   // the app's settings have a token for the account
}

// routeKeys serves the page on which people create and revoke access tokens.
func (s *Server) routeKeys(mux *http.ServeMux) {
	mux.HandleFunc("GET "+keysPath, s.showKeys)
	mux.HandleFunc("POST "+keysPath, pages.OwnOnly(s.submitKeys))
}

func (s *Server) showKeys(w http.ResponseWriter, _ *http.Request) {
	view := keys{Title: "Keys and tokens · X sandbox", App: s.config.App}
	for _, a := range s.config.accounts() {
		view.Accounts = append(view.Accounts, s.keysOf(a))
	}
	s.render(w, http.StatusOK, "keys.html", "", view)
}

func (s *Server) keysOf(a Account) accountKeys {
	shown := accountKeys{Account: a}
	if g, found := s.state.grantOf(a.ID); found {
		shown.Token, shown.Secret = g.token, g.secret
	}
	shown.Configured = s.config.AccessToken != "" && a.ID == s.config.UserID
	return shown
}

// submitKeys handles the page's buttons.
func (s *Server) submitKeys(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	create := func(userID string) error { _, err := s.state.grantFor(userID); return err }
	change, action := map[string]func(userID string) error{"make": create, "revoke": s.state.revoke}[r.PostFormValue("action")]
	account, known := s.account(r.PostFormValue("account"))
	switch {
	case !action:
		http.Error(w, "The form has no valid action.", http.StatusBadRequest)
		return
	case !known:
		http.Error(w, "There is no such account.", http.StatusNotFound)
		return
	}
	if err := change(account.ID); err != nil {
		s.storageFailed(err)
		http.Error(w, "The change could not be stored.", http.StatusServiceUnavailable)
		return
	}
	http.Redirect(w, r, keysPath+"#account-"+account.ID, http.StatusSeeOther)
}
