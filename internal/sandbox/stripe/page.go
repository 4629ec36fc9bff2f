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

// routePages serves the pages under /sandbox/stripe, so that the product can include them in its own origin.
func (s *Server) routePages(mux *http.ServeMux) {
	mux.HandleFunc("GET "+root, s.showOverview)
	mux.Handle("GET "+root+"/{$}", http.RedirectHandler(root, http.StatusMovedPermanently))
	mux.HandleFunc("POST "+root+"/refund", pages.OwnOnly(s.submitRefund))
	mux.HandleFunc("GET "+root+"/pay/{id}", s.showPay)
	mux.HandleFunc("POST "+root+"/pay/{id}", pages.OwnOnly(s.submitPay))
	site.Route(mux)
}

func (s *Server) render(w http.ResponseWriter, status int, name, forms string, data any) {
	site.Render(w, s.config.Log, status, name, pages.Policy{Forms: forms}, data)
}

// originOf returns a URL's origin for form-action: browsers also apply it to the redirect after a form.
func originOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || strings.ContainsAny(u.Host, " ;,'\"") {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

const sessionsShown = 100

// overview is the data of overview.html.
type overview struct {
	Title    string
	Seller   string
	Total    int
	Sessions []sessionView
	Faults   []string
}

type sessionView struct {
	Session
	State    string // readable
	Paid     bool
	Amount   string
	List     string // empty: no discount
	Refunded string // empty: not refunded
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

// submitRefund handles the refund button.
func (s *Server) submitRefund(w http.ResponseWriter, r *http.Request) {
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
