package store

import (
	"context"
	"errors"

	"gorm.io/gorm"

	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

// RenameMember gives a member another name. It is one that no other member has, in any case.
func (s *Members) RenameMember(ctx context.Context, memberID, username string) error {
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		return mustChange(tx.Model(&member.Member{}).Where("id = ?", memberID).
			Updates(map[string]any{"username": username, "username_key": member.Key(username)}))
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return problem.New(problem.MemberExists, "@%s is a member already.", username)
	}
	return err
}
