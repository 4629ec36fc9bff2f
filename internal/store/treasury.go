package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/treasury"
)

// Treasury reads income and costs.
type Treasury struct {
	db     *DB
	counts dayCounts
}

// Treasury returns the ledger with one row per day. The database sums, so the result grows with the
// days, not with the posts.
func (s *Treasury) Treasury(ctx context.Context, at time.Time) (treasury.Ledger, error) {
	var b treasury.Ledger
	paid, err := s.paymentDays(ctx)
	if err != nil {
		return b, err
	}
	posts, calls, err := s.counts.byDay(ctx, s.db, at)
	if err != nil {
		return b, err
	}
	b.Days = joinDays(paid, posts, calls)
	reads := s.db.on(ctx).Model(&readMonth{}).Select("month, used + reconciliation_reads AS reads").
		Where("used + reconciliation_reads > 0").Order("month")
	if err := reads.Scan(&b.Reads).Error; err != nil {
		return b, err
	}
	if b.Discounts, err = s.discounts(ctx, post.MonthOf(at)); err != nil {
		return b, err
	}
	b.Unpaid, err = s.unpaidMembers(ctx)
	return b, err
}

// day returns the SQL for a column's UTC date, as "2006-01-02".
func (s *Treasury) day(column string) string {
	if s.db.gorm.Name() == "postgres" {
		return "to_char(" + column + " AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
	}
	return "substr(" + column + ", 1, 10)"
}

// paymentDays sums card payments. A refund or a dispute counts on the day of its payment.
func (s *Treasury) paymentDays(ctx context.Context) (days []treasury.Day, err error) {
	err = s.db.on(ctx).Model(&checkout.Checkout{}).
		Select(s.day("paid_at") + ` AS date, COUNT(*) AS payments,
			SUM(paid_cents) AS paid_cents, SUM(fee_cents) AS card_fee_cents,
			COUNT(CASE WHEN fee_cents = 0 AND paid_cents > 0 THEN 1 END) AS unknown_fees,
			SUM(refunded_cents) AS refunded_cents, COUNT(CASE WHEN refunded_cents > 0 THEN 1 END) AS refunds,
			COUNT(CASE WHEN dispute <> '' THEN 1 END) AS disputes,
			SUM(disputed_cents) AS disputed_cents, SUM(dispute_fee_cents) AS dispute_fee_cents`).
		Where("paid_at IS NOT NULL AND NOT demo").Group(s.day("paid_at")).Scan(&days).Error
	return days, err
}

// discounts returns a month's discounts. A month without any has no budget row yet.
func (s *Treasury) discounts(ctx context.Context, month post.Month) (treasury.Discounts, error) {
	var d treasury.Discounts
	tx := s.db.on(ctx)
	if err := tx.Model(&discountMonth{}).Where("month = ?", month).Limit(1).Scan(&d).Error; err != nil {
		return d, err
	}
	begins := month.ResetsAt().AddDate(0, -1, 0)
	return d, tx.Model(&pricing.Decision{}).Select("COALESCE(SUM(held_cents), 0)").
		Where("state = ? AND valid_until >= ? AND month = ?", pricing.Used, begins, month).Scan(&d.GivenCents).Error
}

// unpaidMembers counts active members without a payment, whom founders added.
func (s *Treasury) unpaidMembers(ctx context.Context) (int, error) {
	return countOf[member.Member](s.db.on(ctx).Where("status = ? AND payment_cents = 0", member.StatusActive))
}

// joinDays merges entries of the same day, oldest first.
func joinDays(kinds ...[]treasury.Day) (days []treasury.Day) {
	flows := map[string]treasury.Flow{}
	for _, kind := range kinds {
		for _, d := range kind {
			flows[d.Date] = flows[d.Date].Plus(d.Flow)
		}
	}
	for _, date := range slices.Sorted(maps.Keys(flows)) {
		days = append(days, treasury.Day{Date: date, Flow: flows[date]})
	}
	return days
}

// dayCounts caches what no longer changes: which of a day's posts have a link, which SQL cannot decide
// cheaply, and what models cost.
type dayCounts struct {
	mu      sync.Mutex
	posts   map[string]treasury.Flow // by date
	calls   []treasury.Day           // made before settled; older ones by month
	settled time.Time
}

func (t *dayCounts) byDay(ctx context.Context, s *DB, at time.Time) (posts, calls []treasury.Day, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.countPosts(ctx, s, at); err != nil {
		return nil, nil, err
	}
	for date, flow := range t.posts {
		posts = append(posts, treasury.Day{Date: date, Flow: flow})
	}
	calls, err = t.countCalls(ctx, s, stamp(at))
	return foldMonths(posts, firstRecent(at)), calls, err
}

// settleDelay is how long after a model call its row may still be written.
const settleDelay = 2 * time.Hour

// countCalls sums model costs. Calls are many, so those before settled are summed once.
func (t *dayCounts) countCalls(ctx context.Context, s *DB, at time.Time) ([]treasury.Day, error) {
	if settled := at.Add(-settleDelay); settled.After(t.settled) {
		old, err := s.Treasury.callDays(ctx, t.settled, settled)
		if err != nil {
			return nil, err
		}
		t.calls = foldMonths(append(t.calls, old...), firstRecent(at))
		t.settled = settled
	}
	fresh, err := s.Treasury.callDays(ctx, t.settled, endOfTime)
	return slices.Concat(t.calls, fresh), err
}

// endOfTime is later than any stored time.
var endOfTime = time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC)

func (s *Treasury) callDays(ctx context.Context, from, until time.Time) (days []treasury.Day, err error) {
	err = s.db.on(ctx).Model(&model.Call{}).
		Select(s.day("created_at")+` AS date, COUNT(*) AS calls, COUNT(CASE WHEN NOT priced THEN 1 END) AS unpriced_calls,
			CAST(SUM(cost_nano_usd) AS bigint) AS model_nano_usd`).
		Where("created_at >= ? AND created_at < ?", from, until).Group(s.day("created_at")).Scan(&days).Error
	return days, err
}

// recent is how many months back days stay separate and posts are read again. Reconciliation finds a
// post at most a month late.
const recent = 2

func firstRecent(at time.Time) time.Time {
	return at.UTC().AddDate(0, -recent, 0).Truncate(24 * time.Hour)
}

// countPosts counts published posts by whether they have a link. Their texts do not change and they stay
// published, so an unchanged count means that the cache is valid. Otherwise recent days are read again,
// and all of them if posts are still missing.
func (t *dayCounts) countPosts(ctx context.Context, s *DB, at time.Time) error {
	published, err := s.Posts.countPublished(ctx)
	for _, since := range []time.Time{firstRecent(at), {}} {
		counted := 0
		for _, flow := range t.posts {
			counted += flow.Posts + flow.LinkPosts
		}
		if err == nil && counted < published {
			err = t.readPosts(ctx, s, since)
		}
	}
	return err
}

// readPosts reads the texts published since the beginning of a day.
func (t *dayCounts) readPosts(ctx context.Context, s *DB, since time.Time) error {
	rows, err := s.on(ctx).Model(&post.Post{}).Select("published_at, text").Where("published_at >= ?", since).Rows()
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	posts := map[string]treasury.Flow{}
	for date, flow := range t.posts {
		if date < since.Format(time.DateOnly) {
			posts[date] = flow
		}
	}
	for rows.Next() {
		var at time.Time
		var text string
		if err := rows.Scan(&at, &text); err != nil {
			return err
		}
		day := at.UTC().Format(time.DateOnly)
		flow := posts[day]
		flow.CountPost(text)
		posts[day] = flow
	}
	if err := rows.Err(); err != nil {
		return err
	}
	t.posts = posts
	return nil
}

// foldMonths merges entries of one day and, before a time, of one month under its first day: their
// number would otherwise grow without bound.
func foldMonths(days []treasury.Day, before time.Time) (folded []treasury.Day) {
	slices.SortFunc(days, func(a, b treasury.Day) int { return cmp.Compare(a.Date, b.Date) })
	const month = len("2006-01")
	recent := before.Format(time.DateOnly)
	for _, d := range days {
		last := len(folded) - 1
		if last >= 0 && (folded[last].Date == d.Date || d.Date < recent && folded[last].Date[:month] == d.Date[:month]) {
			folded[last].Flow = folded[last].Plus(d.Flow)
			continue
		}
		folded = append(folded, d)
	}
	return folded
}
