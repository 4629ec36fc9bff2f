package smtp

import (
	"net/http"
	"time"

	"customerzero/internal/sandbox/pages"
)

// messageWire is a Message as JSON.
type messageWire struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	From    string    `json:"from"`
	To      []string  `json:"to"`
	Subject string    `json:"subject"`
	Text    string    `json:"text"`
	HTML    string    `json:"html"`
	Copies  int       `json:"copies"`
}

// showJSON is the mailbox for programs; ?to= leaves one recipient's letters.
func (s *Server) showJSON(w http.ResponseWriter, r *http.Request) {
	to := r.URL.Query().Get("to")
	letters := []messageWire{}
	for _, m := range s.Messages() {
		if to == "" || m.isTo(to) {
			letters = append(letters, messageWire{
				ID: m.ID, At: m.At, From: m.From, To: m.To, Subject: m.Subject, Text: m.Text, HTML: m.HTML, Copies: m.Copies,
			})
		}
	}
	pages.WriteJSON(w, http.StatusOK, map[string]any{"messages": letters})
}
