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
	mux.HandleFunc("POST "+root+"/{action}", pages.OwnOnly(s.submitAction))
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
	Buttons  []button
	Exact    string
	Machine  string
}

// button changes a payment.
type button struct{ Action, Text string }

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
	d, disputed := t.dispute(p)
	switch {
	case session.Status == Open && p.Status == Declined:
		v.State = "open, a card was declined"
	case p.Refunded > 0:
		v.State, v.Refunded = "refunded", dollars(p.Refunded)
		v.Buttons = []button{{"fail-refund", "Fail the refund"}}
	case disputed && d.Status == NeedsResponse:
		v.State = "disputed"
		v.Buttons = []button{{"win-dispute", "Win the dispute"}, {"lose-dispute", "Lose the dispute"}}
	case disputed:
		v.State, v.Paid = "dispute "+string(d.Status), d.Status == Won
	case session.Status == Complete:
		v.State, v.Paid = "paid", true
		if p.Status == Succeeded {
			v.Buttons = []button{{"refund", "Refund " + v.Amount}, {"dispute", "Dispute " + v.Amount}}
		}
	}
	if p.Status == Succeeded {
		v.Fee = dollars(p.Fee)
	}
	return v
}

// actions are the buttons of a payment: the founders' and the buyer's bank's.
var actions = map[string]func(*tx, Payment) *refusal{
	"refund": func(t *tx, p Payment) *refusal {
		_, refused := t.refund(p)
		return refused
	},
	"fail-refund":  (*tx).failRefund,
	"dispute":      (*tx).openDispute,
	"win-dispute":  func(t *tx, p Payment) *refusal { return t.closeDispute(p, Won) },
	"lose-dispute": func(t *tx, p Payment) *refusal { return t.closeDispute(p, LostDispute) },
}

// Act presses a button of the overview: refund, fail-refund, dispute, win-dispute or lose-dispute.
func (s *Server) Act(action, session string) error {
	act, known := actions[action]
	return s.state.do(func(t *tx) error {
		found, _ := t.session(session)
		p, paid := t.payment(found.Payment)
		if !known || !paid {
			return refuse("", "", "There is no such payment.")
		}
		if refused := act(t, p); refused != nil {
			return refused
		}
		return nil
	})
}

// submitAction handles the buttons.
func (s *Server) submitAction(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	session := r.PostFormValue("session")
	err := s.Act(r.PathValue("action"), session)
	refused, no := errors.AsType[*refusal](err)
	switch {
	case no:
		http.Error(w, refused.Message, http.StatusConflict)
	case err != nil:
		s.storageFailed(w, err)
	default:
		http.Redirect(w, r, root+"#"+session, http.StatusSeeOther) //nolint:gosec // root is a path of this site
	}
}
