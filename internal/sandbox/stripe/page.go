package stripe

import (
	"embed"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"customerzero/internal/sandbox/pages"
)

//go:embed pages
var files embed.FS

var site = pages.New(root, files)

// routePages adds what people see. All of it lives under /sandbox/stripe, so that the
// product can show it under its own origin.
func (s *Server) routePages(mux *http.ServeMux) {
	mux.HandleFunc("GET "+root, s.showOverview)
	mux.Handle("GET "+root+"/{$}", http.RedirectHandler(root, http.StatusMovedPermanently))
	mux.HandleFunc("POST "+root+"/refund", pages.OwnOnly(s.takeRefund))
	mux.HandleFunc("GET "+root+"/pay/{id}", s.showPay)
	mux.HandleFunc("POST "+root+"/pay/{id}", pages.OwnOnly(s.takePay))
	site.Route(mux)
}

func (s *Server) render(w http.ResponseWriter, status int, name, forms string, data any) {
	site.Render(w, s.config.Log, status, name, pages.Policy{Forms: forms}, data)
}

// originOf is for the policy of a page whose form is sent on to a URL: browsers hold the
// answer's redirect against it.
func originOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || strings.ContainsAny(u.Host, " ;,'\"") {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

const sessionsShown = 100

// overview is what overview.html shows, as Stripe's dashboard would.
type overview struct {
	Title    string
	Seller   string
	Total    int
	Sessions []sessionView
	Faults   []string
}

type sessionView struct {
	Session
	State    string // for people
	Paid     bool
	Amount   string
	List     string // empty: nothing was taken off
	Refunded string // empty: nothing
	Fee      string // empty: none
	Exact    string
	Machine  string
}

func (s *Server) showOverview(w http.ResponseWriter, _ *http.Request) {
	view := overview{Title: "Stripe sandbox", Seller: s.config.Product, Faults: s.faults.Describe()}
	err := s.state.do(func(t *tx) error {
		sessions := t.st.sessions.all()
		view.Total = len(sessions)
		for _, session := range sessions[:min(len(sessions), sessionsShown)] {
			view.Sessions = append(view.Sessions, t.view(session))
		}
		return nil
	})
	if err != nil {
		s.storageFailed(w, err)
		return
	}
	s.render(w, http.StatusOK, "overview.html", "'self'", view)
}

func (t *tx) view(session Session) sessionView {
	v := sessionView{
		Session: session, State: string(session.Status), Amount: dollars(session.Total),
		Exact: session.CreatedAt.Format("2 Jan 2006, 15:04:05 UTC"), Machine: session.CreatedAt.Format(time.RFC3339),
	}
	if session.Total != session.Subtotal {
		v.List = dollars(session.Subtotal)
	}
	p, _ := t.payment(session.Payment)
	switch {
	case session.Status == Open && p.Status == Declined:
		v.State = "open, a card was declined"
	case p.Refunded > 0:
		v.State, v.Refunded = "refunded", dollars(p.Refunded)
	case session.Status == Complete:
		v.State, v.Paid = "paid", true
	}
	if p.Status == Succeeded {
		v.Fee = dollars(p.Fee)
	}
	return v
}

// takeRefund takes a press of a refund button: all that is left goes back.
func (s *Server) takeRefund(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	var session Session
	err := s.state.do(func(t *tx) error {
		session, _ = t.session(r.PostFormValue("session"))
		p, paid := t.payment(session.Payment)
		if !paid {
			return refuse("", "", "There is no such payment.")
		}
		if _, refused := t.refund(p); refused != nil {
			return refused
		}
		return nil
	})
	refused, no := errors.AsType[*refusal](err)
	switch {
	case no:
		http.Error(w, refused.Message, http.StatusConflict)
	case err != nil:
		s.storageFailed(w, err)
	default:
		http.Redirect(w, r, root+"#"+session.ID, http.StatusSeeOther)
	}
}
