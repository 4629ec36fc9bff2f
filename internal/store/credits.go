package store

import (
	"context"

	"gorm.io/gorm"

	"customerzero/internal/domain/member"
)

// CreditEntries lists a member's entries, the latest first, with the total of them and the
// balance.
func (s *Members) CreditEntries(ctx context.Context, memberID string, limit, offset int) (entries []member.CreditEntry, total, balance int, err error) {
	// The latest entry tells both: it is one read, so they belong together.
	var last member.CreditEntry
	book := s.db.on(ctx).Where("member_id = ?", memberID).Order("seq DESC")
	if err := book.Session(&gorm.Session{}).Limit(1).Find(&last).Error; err != nil {
		return nil, 0, 0, err
	}
	err = book.Session(&gorm.Session{}).Where("seq <= ?", last.Seq).Limit(limit).Offset(offset).Find(&entries).Error
	return entries, last.Seq, last.Balance, err
}
