package store

import (
	"context"
	"encoding/json"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/member"
	"customerzero/internal/domain/onboarding"
)

// onboardingRow is onboarding.Progress in its table.
type onboardingRow struct {
	MemberID    string          `gorm:"primaryKey"`
	Kind        onboarding.Kind `gorm:"primaryKey"`
	Answers     string          // JSON
	Step        int
	CompletedAt *time.Time
	UpdatedAt   time.Time
}

func (onboardingRow) TableName() string { return "onboardings" }

// Onboarding says how far a member has come. Who has not begun is at the first step.
func (s *Members) Onboarding(ctx context.Context, memberID string, kind onboarding.Kind) (onboarding.Progress, error) {
	progress := onboarding.Begin(memberID, kind)
	row, err := readFirst[onboardingRow](s.db.on(ctx).Where("member_id = ? AND kind = ?", memberID, kind))
	if err != nil || row == nil {
		return progress, err
	}
	progress.Step, progress.CompletedAt, progress.UpdatedAt = row.Step, row.CompletedAt, row.UpdatedAt
	return progress, json.Unmarshal([]byte(row.Answers), &progress.Answers)
}

// SaveOnboarding keeps a member's answers and step. What is completed stays so.
func (s *Members) SaveOnboarding(ctx context.Context, p onboarding.Progress, at time.Time) error {
	answers, err := json.Marshal(p.Answers)
	if err != nil {
		return err
	}
	row := onboardingRow{MemberID: p.MemberID, Kind: p.Kind, Answers: string(answers), Step: p.Step, UpdatedAt: stamp(at)}
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return tx.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "member_id"}, {Name: "kind"}},
			DoUpdates: clause.AssignmentColumns([]string{"answers", "step", "updated_at"}),
		}).Create(&row).Error
	})
}

// CompleteOnboarding ends it, and books the credits that come with it. Asked again, it
// changes nothing and awards none.
func (s *Members) CompleteOnboarding(ctx context.Context, memberID string, kind onboarding.Kind, at time.Time) (awarded int, err error) {
	at = stamp(at)
	err = s.db.inTx(ctx, func(tx *gorm.DB) error {
		first := onboardingRow{MemberID: memberID, Kind: kind, Answers: "{}", Step: kind.Steps(), UpdatedAt: at}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&first).Error; err != nil {
			return err
		}
		ended := tx.Model(&onboardingRow{}).Where("member_id = ? AND kind = ? AND completed_at IS NULL", memberID, kind).
			Updates(map[string]any{"completed_at": at, "updated_at": at, "step": kind.Steps()})
		if ended.Error != nil || ended.RowsAffected == 0 {
			return ended.Error
		}
		awarded = onboarding.Reward
		return addCredits(tx, member.CreditEntry{
			MemberID: memberID, Delta: awarded, Reason: rewardFor[kind], EntryKey: string(kind) + ":" + memberID, CreatedAt: at,
		})
	})
	if err != nil {
		return 0, err
	}
	return awarded, nil
}

var rewardFor = map[onboarding.Kind]member.Reason{
	onboarding.Tour: member.ReasonTour, onboarding.Partnership: member.ReasonPartnership,
}
