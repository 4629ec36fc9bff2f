package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// Members stores members, their credits and their onboarding.
type Members struct{ db *DB }

// AddMember creates a member who paid nothing, with the credits included in the fee. With a welcome, the
// member also gets an account and an email with its activation link.
func (s *Members) AddMember(ctx context.Context, m member.Member, w *account.Welcome) error {
	m.JoinedAt, m.PaymentCents = stamp(m.JoinedAt), 0
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		err := addMember(tx, m, member.ReasonGranted, "founding_fee:"+m.ID)
		if err != nil || w == nil {
			return err
		}
		a, err := accountFor(tx, w.Email, m.ID, m.JoinedAt)
		if err != nil {
			return err
		}
		return s.db.Accounts.welcome(tx, a, *w, "welcome:"+a.ID, m.JoinedAt)
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return problem.New(problem.MemberExists, "@%s is already a member.", m.Username)
	}
	return err
}

// addMember creates a member and adds the fee's credits, once per feeKey.
func addMember(tx *gorm.DB, m member.Member, reason member.Reason, feeKey string) error {
	if err := tx.Create(&m).Error; err != nil {
		return err
	}
	return addCredits(tx, member.CreditEntry{
		MemberID: m.ID, Delta: member.FoundingCredits, Reason: reason, EntryKey: feeKey, CreatedAt: m.JoinedAt,
	})
}

// MemberNamed returns the active member with a username, in any case.
func (s *Members) MemberNamed(ctx context.Context, username string) (member.Member, error) {
	m, err := readOne[member.Member](s.db.on(ctx).
		Where("username_key = ? AND status = ?", member.Key(username), member.StatusActive))
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return m, problem.New(problem.MemberUnknown, "There is no active member with this username.")
	}
	return m, err
}

// Members lists every member who has not left, oldest first, with credits and the slots held in month.
func (s *Members) Members(ctx context.Context, month post.Month) ([]member.Account, error) {
	return readAll[member.Account](s.accounts(ctx, month).Where("status <> ?", member.StatusRemoved).Order("joined_at, id"))
}

// Account returns a member with credits and the slots held in month.
func (s *Members) Account(ctx context.Context, id string, month post.Month) (member.Account, error) {
	account, err := readOne[member.Account](s.accounts(ctx, month).Where("members.id = ?", id))
	return account, asProblem(err, "member")
}

func (s *Members) accounts(ctx context.Context, month post.Month) *gorm.DB {
	return s.db.on(ctx).Model(&member.Member{}).Select(`members.*,
		COALESCE((SELECT email FROM accounts a WHERE a.member_id = members.id), '') AS email,
		COALESCE((SELECT balance FROM credit_entries c WHERE c.member_id = members.id ORDER BY seq DESC LIMIT 1), 0) AS credits,
		COALESCE((SELECT held FROM quota_shares q WHERE q.holder = members.id AND q.month = ?), 0) AS slots_held`, month)
}

// addCredits appends an entry to a member's credits. The member's row is the lock; a CHECK and the
// primary key are the second line of defense.
func addCredits(tx *gorm.DB, entry member.CreditEntry) error {
	if _, err := lockByID[member.Member](tx, "member", entry.MemberID); err != nil {
		return err
	}
	last, err := lastEntry(tx, entry.MemberID)
	if err != nil {
		return err
	}
	entry.Seq, entry.Balance = last.Seq+1, last.Balance+entry.Delta
	if entry.Balance < 0 {
		return problem.New(problem.CreditsExhausted, "No credits left. A post costs one credit.")
	}
	return tx.Create(&entry).Error
}

// lastEntry returns a member's last entry, or the zero value if there is none.
func lastEntry(tx *gorm.DB, memberID string) (last member.CreditEntry, err error) {
	err = tx.Where("member_id = ?", memberID).Order("seq DESC").Limit(1).Find(&last).Error
	return last, err
}

// CreditEntries lists a member's entries, newest first, with their total and the balance.
func (s *Members) CreditEntries(ctx context.Context, memberID string, limit, offset int) (entries []member.CreditEntry, total, balance int, err error) {
	// One read of the last entry gives a consistent total and balance.
	last, err := lastEntry(s.db.on(ctx), memberID)
	if err != nil {
		return nil, 0, 0, err
	}
	entries, err = readAll[member.CreditEntry](s.db.on(ctx).Where("member_id = ? AND seq <= ?", memberID, last.Seq).
		Order("seq DESC").Limit(limit).Offset(offset))
	return entries, last.Seq, last.Balance, err
}

// RenameMember changes a member's username. Usernames are unique in any case.
func (s *Members) RenameMember(ctx context.Context, memberID, username string) error {
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		return mustChange(tx.Model(&member.Member{}).Where("id = ?", memberID).
			Updates(map[string]any{"username": username, "username_key": member.Key(username)}))
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return problem.New(problem.MemberExists, "@%s is already a member.", username)
	}
	return err
}

// memberNames returns usernames by member ID, without those of removed members.
func (s *Members) memberNames(ctx context.Context, memberIDs []*string) (map[string]string, error) {
	names, ids := map[string]string{}, []string{}
	for _, id := range memberIDs {
		if id != nil {
			ids = append(ids, *id)
		}
	}
	if len(ids) == 0 {
		return names, nil
	}
	members, err := readAll[member.Member](s.db.on(ctx).Select("id", "username").
		Where("status <> ? AND id IN ?", member.StatusRemoved, unique(ids)))
	for _, m := range members {
		names[m.ID] = m.Username
	}
	return names, err
}

// revokeCredits takes back the fee's credits as far as they are not spent: a balance never goes below
// zero.
func revokeCredits(tx *gorm.DB, memberID, key string, at time.Time) error {
	last, err := lastEntry(tx, memberID)
	back := min(last.Balance, member.FoundingCredits)
	if err != nil || back == 0 {
		return err
	}
	return addCredits(tx, member.CreditEntry{
		MemberID: memberID, Delta: -back, Reason: member.ReasonRefund, EntryKey: key, CreatedAt: at,
	})
}

// Onboarding returns a member's progress, the first step if the member has not begun.
func (s *Members) Onboarding(ctx context.Context, memberID string, kind onboarding.Kind) (onboarding.Progress, error) {
	progress, err := readFirst[onboarding.Progress](s.db.on(ctx).Where("member_id = ? AND kind = ?", memberID, kind))
	if err != nil || progress == nil {
		return onboarding.Begin(memberID, kind), err
	}
	return *progress, nil
}

// SaveOnboarding stores a member's answers and step. A completion is kept.
func (s *Members) SaveOnboarding(ctx context.Context, p onboarding.Progress, at time.Time) error {
	p.CompletedAt, p.UpdatedAt = nil, stamp(at)
	return s.db.insert(ctx, &p, upsert("member_id, kind", "answers", "step", "updated_at"))
}

// CompleteOnboarding completes it and adds its credits. A repeated call changes nothing and awards none.
func (s *Members) CompleteOnboarding(ctx context.Context, memberID string, kind onboarding.Kind, at time.Time) (awarded int, err error) {
	at = stamp(at)
	err = s.db.inTx(ctx, func(tx *gorm.DB) error {
		first := onboarding.Progress{MemberID: memberID, Kind: kind, Answers: onboarding.Answers{}, Step: kind.Steps(), UpdatedAt: at}
		if err := tx.Clauses(onceOnly).Create(&first).Error; err != nil {
			return err
		}
		ended := tx.Model(&onboarding.Progress{}).Where("member_id = ? AND kind = ? AND completed_at IS NULL", memberID, kind).
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
