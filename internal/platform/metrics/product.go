package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"customerzero/internal/domain/stats"
	"customerzero/internal/domain/verification"
)

// Stats reads the numbers of the whole product. *store.Stats implements it.
type Stats interface {
	Read(ctx context.Context, at time.Time) (stats.Reading, error)
}

// Verifications are the runs that looked at our own pages. *store.Verifications implements it.
type Verifications interface {
	LastVerifications(ctx context.Context, url string, limit int) ([]verification.Run, error)
}

// Product tells how the product stands by its rows, which is the same in every replica. A
// database that does not answer leaves its metrics out, and holds nobody up.
type Product struct {
	Stats         Stats
	Verifications Verifications
	Front         string        // the page by which the site is judged
	Every         time.Duration // between looks at it; 0: there is no schedule
	Now           func() time.Time
	// Within is how long the database may take.
	Within time.Duration

	flights singleflight.Group
	last    standing
}

// keptFor is how long one reading does for all who ask.
const keptFor = 2 * time.Second

// standing is one reading.
type standing struct {
	stats.Reading
	looks []verification.Run // at the front page, newest first
	at    time.Time
}

// read asks the database, once for all who ask at the same time. It does not wait longer than
// it may, even for a driver that does not hear that it is too late.
func (p *Product) read() (standing, bool) {
	late := time.NewTimer(p.Within)
	defer late.Stop()
	select {
	case came := <-p.flights.DoChan("", p.ask):
		now, ok := came.Val.(standing)
		return now, ok && came.Err == nil
	case <-late.C:
		return standing{}, false
	}
}

func (p *Product) ask() (any, error) {
	now := p.Now()
	if age := now.Sub(p.last.at); age >= 0 && age < keptFor {
		return p.last, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.Within)
	defer cancel()
	reading, err := p.Stats.Read(ctx, now)
	if err != nil {
		return nil, err
	}
	looks, err := p.Verifications.LastVerifications(ctx, p.Front, verification.Telling)
	if err != nil {
		return nil, err
	}
	p.last = standing{reading, looks, now}
	return p.last, nil
}

// Describe is for the registry.
func (p *Product) Describe(out chan<- *prometheus.Desc) {
	for _, d := range told {
		out <- d.Desc
	}
}

// Collect asks, and tells.
func (p *Product) Collect(out chan<- prometheus.Metric) {
	now, ok := p.read()
	teller{out}.gauge(scrapeOK, yes(ok))
	if ok {
		p.tell(teller{out}, now)
	}
}
