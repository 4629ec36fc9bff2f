package store

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
)

// ReadMetric reads a metric from since until then. A number of nothing is 0; a share of nothing,
// and a median, are nothing.
func (s *Experiments) ReadMetric(ctx context.Context, metric experiment.Metric, since, until time.Time) (experiment.Reading, error) {
	tx, since, until := s.db.on(ctx), stamp(since), stamp(until)
	switch metric {
	case experiment.PostsPublished:
		n, err := countOf[post.Post](publishedIn(tx, since, until))
		return counted(n), err
	case experiment.SuccessRate:
		return readSuccess(tx, since, until)
	case experiment.HealTime:
		return readHealing(tx, since, until)
	case experiment.Members:
		n, err := countOf[member.Member](tx.Where("status = ? AND joined_at <= ?", member.StatusActive, until))
		return counted(n), err
	case experiment.Conversion:
		return readConversion(tx, since, until)
	}
	return experiment.Reading{}, fmt.Errorf("there is no metric %q", metric)
}

// counted is a number that is never nothing.
func counted(n int) experiment.Reading {
	return experiment.Reading{Value: float64(n), Sample: n, Any: true}
}

// percent is a share; of nothing there is none.
func percent(part, of int) experiment.Reading {
	if of == 0 {
		return experiment.Reading{}
	}
	return experiment.Reading{Value: float64(part) * 100 / float64(of), Sample: of, Any: true}
}

func publishedIn(tx *gorm.DB, since, until time.Time) *gorm.DB {
	return tx.Where("published_at >= ? AND published_at <= ?", since, until)
}

func readSuccess(tx *gorm.DB, since, until time.Time) (experiment.Reading, error) {
	published, err := countOf[post.Post](publishedIn(tx, since, until))
	if err != nil {
		return experiment.Reading{}, err
	}
	failed, err := countOf[post.Post](tx.Where(isFailed+" AND updated_at >= ? AND updated_at <= ?", since, until))
	return percent(published, published+failed), err
}

// readHealing reads the one or two in the middle.
func readHealing(tx *gorm.DB, since, until time.Time) (experiment.Reading, error) {
	healed := func() *gorm.DB {
		return tx.Where("ended_at >= ? AND ended_at <= ? AND verdict IN ?", since, until, []chaos.Verdict{chaos.Healed, chaos.HealedLate})
	}
	n, err := countOf[chaos.Run](healed())
	if err != nil || n == 0 {
		return experiment.Reading{}, err
	}
	middle, err := readAll[chaos.Run](healed().Select("id", "heal_ms").Order("heal_ms").Offset((n - 1) / 2).Limit(2 - n%2))
	var seconds []float64
	for _, r := range middle {
		seconds = append(seconds, float64(*r.HealMS)/1000)
	}
	median, some := experiment.Median(seconds)
	return experiment.Reading{Value: median, Sample: n, Any: some}, err
}

// readConversion counts the checkouts that had a payment page. What was refunded was paid.
func readConversion(tx *gorm.DB, since, until time.Time) (experiment.Reading, error) {
	offered := func() *gorm.DB {
		return tx.Where("NOT demo AND created_at >= ? AND created_at <= ? AND state NOT IN ?", since, until, []checkout.State{checkout.Quoting, checkout.Failed})
	}
	all, err := countOf[checkout.Checkout](offered())
	if err != nil {
		return experiment.Reading{}, err
	}
	paid, err := countOf[checkout.Checkout](offered().Where("paid_at <= ?", until))
	return percent(paid, all), err
}
