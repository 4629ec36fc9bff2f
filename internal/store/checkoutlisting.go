package store

import (
	"context"

	"gorm.io/gorm"

	"customerzero/internal/domain/checkout"
)

// Checkouts lists checkouts, newest first, with their total.
func (s *Checkouts) Checkouts(ctx context.Context, f checkout.Filter) ([]checkout.Listed, int, error) {
	query, order := s.db.on(ctx).Model(&checkout.Checkout{}), "checkouts.created_at DESC, checkouts.id"
	if f.Paid {
		query, order = query.Where("paid_at IS NOT NULL"), "checkouts.paid_at DESC, checkouts.id"
	}
	var total int64
	if err := query.Session(&gorm.Session{}).Count(&total).Error; err != nil {
		return nil, 0, err
	}
	var list []checkout.Listed
	err := query.Joins("LEFT JOIN members ON members.id = checkouts.member_id").
		Select("checkouts.*, COALESCE(members.username, '') AS username").
		Order(order).Limit(f.Limit).Offset(f.Offset).Scan(&list).Error
	return list, int(total), err
}
