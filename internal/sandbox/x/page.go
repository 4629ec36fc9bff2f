package x

import (
	"embed"
	"net/http"
	"strconv"

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
