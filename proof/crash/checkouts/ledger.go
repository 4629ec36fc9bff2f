package checkouts

import (
	"net/http"
	"sync"
	"time"
)

// ledger is what buyers and forgers were told.
type ledger struct {
	mu      sync.Mutex
	quotes  []quote
	paid    []receipt
	strange []string    // answers that nobody should get
	repeats int         // calls that were made again
	late    int         // who came after the end of the page
	forged  map[int]int // forged webhooks by the status that they were answered with
}

// quote is a price that a buyer was told. Whoever asks for the full price is told no price.
type quote struct {
	buyer      int
	checkoutID string
	page       string
	ends       time.Time
	cents      int
	personal   bool
}

// receipt says that a buyer was told that they had paid.
type receipt struct {
	buyer      int
	checkoutID string
}

func (l *ledger) quoted(q quote) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.quotes = append(l.quotes, q)
}

func (l *ledger) toldPaid(r receipt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.paid = append(l.paid, r)
}

func (l *ledger) complain(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.strange = append(l.strange, text)
}

func (l *ledger) repeat() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.repeats++
}

func (l *ledger) tooLate() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.late++
}

func (l *ledger) forgery(status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forged[status]++
}

// believed counts forged webhooks that were answered with something else than a refusal.
func (l *ledger) believed() int {
	n := 0
	for status, times := range l.forged {
		if status != http.StatusBadRequest {
			n += times
		}
	}
	return n
}
