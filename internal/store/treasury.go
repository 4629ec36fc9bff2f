package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/treasury"
)

// Treasury reads what came in and went out.
type Treasury struct {
	db     *DB
	counts dayCounts
}

// Treasury reads what came in and went out, a day a row. The database sums: what is read
// grows with the days, not with the posts.
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
	if err := s.readsByMonth(ctx).Scan(&b.Reads).Error; err != nil {
		return b, err
	}
	if b.Discounts, err = s.discounts(ctx, post.MonthOf(at)); err != nil {
		return b, err
	}
	b.Unpaid, err = s.unpaidMembers(ctx)
	return b, err
}

// day is the day of a column in UTC, as "2006-01-02".
func (s *Treasury) day(column string) string {
	if s.db.dialect == "postgres" {
		return "to_char(" + column + " AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
	}
	return "substr(" + column + ", 1, 10)"
}

// paymentDays sums what cards brought. A refund counts on the day of its payment.
func (s *Treasury) paymentDays(ctx context.Context) (days []treasury.Day, err error) {
	err = s.db.on(ctx).Model(&checkout.Checkout{}).
		Select(s.day("paid_at") + ` AS date, COUNT(*) AS payments,
			SUM(paid_cents) AS paid_cents, SUM(fee_cents) AS card_fee_cents,
			COUNT(CASE WHEN fee_cents = 0 AND paid_cents > 0 THEN 1 END) AS unknown_fees,
			SUM(refunded_cents) AS refunded_cents, COUNT(CASE WHEN refunded_cents > 0 THEN 1 END) AS refunds`).
		Where("paid_at IS NOT NULL AND NOT demo").Group(s.day("paid_at")).Scan(&days).Error
	return days, err
}

func (s *Treasury) readsByMonth(ctx context.Context) *gorm.DB {
	return s.db.on(ctx).Model(&readMonth{}).
		Select("month, used + reconciliation_reads AS reads").Where("used + reconciliation_reads > 0").Order("month")
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
		Where("state = ? AND valid_until >= ? AND month = ?", pricing.Spent, begins, month).Scan(&d.GivenCents).Error
}

// unpaidMembers counts those whom founders entered. Only a payment that was no test has a member.
func (s *Treasury) unpaidMembers(ctx context.Context) (int, error) {
	payers := s.db.gorm.Model(&checkout.Checkout{}).Select("member_id").Where("member_id IS NOT NULL")
	return countOf[member.Member](s.db.on(ctx).Where("status = ? AND id NOT IN (?)", member.StatusActive, payers))
}

// joinDays puts what happened on the same day together, oldest first.
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
