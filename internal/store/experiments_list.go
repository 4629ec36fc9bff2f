package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
)

// shown are the statuses that lists include by default.
var shown = []experiment.Status{
	experiment.Planning, experiment.Active, experiment.Testing, experiment.Completed, experiment.Shipped,
}

// orders are the sort orders of lists. Equal experiments are ordered by submission, newest first.
var orders = map[experiment.Order]string{
	experiment.MostUp:   "up - down DESC, up DESC, ",
	experiment.Furthest: "progress DESC, ",
	experiment.Latest:   "updated_at DESC, ",
}

const newestExperiment = "submitted_at DESC, number DESC, id DESC"

// Experiments lists experiments with their total. Declined ones are listed only if requested, and only
// if they were public.
func (s *Experiments) Experiments(ctx context.Context, q experiment.Query) ([]experiment.Listed, int, error) {
	total, err := countOf[experiment.Experiment](s.matching(ctx, q))
	if err != nil {
		return nil, 0, err
	}
	limit := q.Limit
	if limit <= 0 {
		limit = -1 // all
	}
	rows := []experiment.Listed{}
	err = s.db.on(ctx).Table("(?) AS listed", listed(s.matching(ctx, q))).
		Order(orders[q.Order] + newestExperiment).Limit(limit).Offset(q.Offset).Scan(&rows).Error
	return rows, total, err
}

func (s *Experiments) matching(ctx context.Context, q experiment.Query) *gorm.DB {
	found := s.db.on(ctx)
	switch {
	case q.MemberID != "":
		found = found.Where("member_id = ?", q.MemberID)
	case q.Status == "":
		found = found.Where("status IN ?", shown)
	case q.Status == experiment.Declined:
		found = found.Where("status = ? AND number IS NOT NULL", q.Status)
	default:
		found = found.Where("status = ?", q.Status)
	}
	text := strings.Join(strings.Fields(q.Text), " ")
	if text == "" {
		return found
	}
	like := "%" + escapeLike.Replace(text) + "%"
	return found.Where(`(lower(title) LIKE lower(@like) ESCAPE '\' OR lower(problem) LIKE lower(@like) ESCAPE '\'
		OR lower(hypothesis) LIKE lower(@like) ESCAPE '\')`, sql.Named("like", like))
}

// escapeLike escapes a text for LIKE.
var escapeLike = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// listed reads experiments with their votes and submitters. Final counts are not counted again. Removed
// members are not named.
func listed(found *gorm.DB) *gorm.DB {
	votes := fmt.Sprintf(activeVotes, "experiments.id")
	return found.Model(&experiment.Experiment{}).Select(`experiments.*,
		COALESCE(final_up, (SELECT COUNT(*) FROM (`+votes+`) AS votes WHERE value = 1)) AS up,
		COALESCE(final_down, (SELECT COUNT(*) FROM (`+votes+`) AS votes WHERE value = -1)) AS down,
		COALESCE((SELECT username FROM members m WHERE m.id = experiments.member_id AND m.status <> ?), '') AS submitter`, member.StatusRemoved)
}

// ExperimentTotals counts the public experiments and their votes.
func (s *Experiments) ExperimentTotals(ctx context.Context) (totals experiment.Totals, err error) {
	tx := s.db.on(ctx)
	err = tx.Model(&experiment.Experiment{}).Where("status IN ?", shown).
		Select(`COUNT(*) AS experiments,
			COUNT(CASE WHEN status IN ('active', 'testing') THEN 1 END) AS running,
			COUNT(CASE WHEN status IN ('completed', 'shipped') THEN 1 END) AS completed`).Scan(&totals).Error
	if err != nil {
		return totals, err
	}
	counted := tx.Table("(?) AS listed", listed(s.db.gorm.Where("status IN ?", shown))).Select("COALESCE(SUM(up + down), 0)")
	return totals, counted.Scan(&totals.Votes).Error
}

// Experiment returns an experiment by slug, number or ID, without checking whether the caller may see
// it.
func (s *Experiments) Experiment(ctx context.Context, key string) (e experiment.Listed, err error) {
	err = listed(named(s.db.on(ctx), key)).Take(&e).Error
	return e, asProblem(err, "experiment")
}

// ExperimentNamed is Experiment without votes and submitter.
func (s *Experiments) ExperimentNamed(ctx context.Context, key string) (experiment.Experiment, error) {
	e, err := readOne[experiment.Experiment](named(s.db.on(ctx), key))
	return e, asProblem(err, "experiment")
}

func named(query *gorm.DB, key string) *gorm.DB {
	k := experiment.ParseKey(key)
	if k.Number > 0 {
		return query.Where("number = ?", k.Number)
	}
	return query.Where("slug = ? OR id = ?", k.Slug, k.Slug)
}

// ExperimentRow returns an experiment by ID, without votes and submitter.
func (s *Experiments) ExperimentRow(ctx context.Context, id string) (experiment.Experiment, error) {
	return byID[experiment.Experiment](s.db.on(ctx), "experiment", id)
}

// ReadMetric reads a metric between two times. Without data a count is 0, and a share or a median has no
// value.
func (s *Experiments) ReadMetric(ctx context.Context, metric experiment.Metric, since, until time.Time) (experiment.Reading, error) {
	tx, since, until := s.db.on(ctx), stamp(since), stamp(until)
	switch metric {
	case experiment.PostsPublished:
		n, err := countOf[post.Post](publishedIn(tx, since, until))
		return counted(n), err
	case experiment.SuccessRate:
		published, failed, err := successBetween(tx, since, until)
		return percent(published, published+failed), err
	case experiment.HealTime:
		return readHealing(tx, since, until)
	case experiment.Members:
		n, err := countOf[member.Member](tx.Where("status = ? AND joined_at <= ?", member.StatusActive, until))
		return counted(n), err
	case experiment.Conversion:
		return readConversion(tx, since, until)
	}
	return experiment.Reading{}, fmt.Errorf("unknown metric %q", metric)
}

func counted(n int) experiment.Reading {
	return experiment.Reading{Value: float64(n), Sample: n, Any: true}
}

// percent returns a share, without a value if of is 0.
func percent(part, of int) experiment.Reading {
	if of == 0 {
		return experiment.Reading{}
	}
	return experiment.Reading{Value: float64(part) * 100 / float64(of), Sample: of, Any: true}
}

func publishedIn(tx *gorm.DB, since, until time.Time) *gorm.DB {
	return tx.Where("published_at >= ? AND published_at <= ?", since, until)
}

// readHealing returns the median repair time, from the one or two runs in the middle.
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

// readConversion returns the share of checkouts with a payment page that were paid, including refunded
// ones.
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
