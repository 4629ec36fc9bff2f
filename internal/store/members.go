package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/rs/xid"
	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
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

// MemberKeyed returns the member who has not left with an ID or, in any case, a username with or without @.
func (s *Members) MemberKeyed(ctx context.Context, key string) (member.Member, error) {
	m, err := readOne[member.Member](s.db.on(ctx).Where("(id = ? OR username_key = ?) AND status <> ?",
		key, member.Key(strings.TrimPrefix(key, "@")), member.StatusRemoved))
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return m, problem.New(problem.NotFound, "There is no member with this ID or username.")
	}
	return m, err
}

// AccountOf returns the account of a member, or nil.
func (s *Members) AccountOf(ctx context.Context, memberID string) (*account.Account, error) {
	return readFirst[account.Account](s.db.on(ctx).Where("member_id = ?", memberID))
}

// SetMemberEmail sets the address with which a member logs in, and sends a welcome email with an activation link
// to it. If another address is replaced, its owner gets an email, and is logged out.
func (s *Members) SetMemberEmail(ctx context.Context, id string, w account.Welcome, at time.Time) error {
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		m, err := lockPresent(tx, id)
		if err != nil {
			return err
		}
		a, err := readFirst[account.Account](tx.Clauses(forUpdate).Where("member_id = ?", m.ID))
		if err != nil {
			return err
		}
		if a == nil {
			linked, err := accountFor(tx, w.Email, m.ID, at)
			if err != nil {
				return err
			}
			a = &linked
		} else if err := s.replaceAddress(tx, a, w.Email, at); err != nil {
			return err
		}
		return s.db.Accounts.welcome(tx, *a, w, "welcome:"+a.ID+":"+xid.New().String(), at)
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return problem.New(problem.MemberExists, "This email address already belongs to another account.")
	}
	return err
}

// replaceAddress replaces the address of an account, and with it everything that was sent to the old one.
func (s *Members) replaceAddress(tx *gorm.DB, a *account.Account, address string, at time.Time) error {
	if a.XUserID != nil {
		return problem.New(problem.Conflict, "This member logs in with X, so the address was not changed. Only the member can change it, on the account page.")
	}
	if a.Email != nil && *a.Email != address {
		facts := map[string]string{
			"Title": "Your email address was replaced",
			"Text": "A founder replaced this email address of your membership with another one, and ended your sessions. If you did not ask for that, " +
				"contact the founders at once.",
		}
		if err := s.db.Emails.notify(tx, []account.Account{*a}, email.MembershipChanged, "membership_changed:"+xid.New().String(), facts, at); err != nil {
			return err
		}
	}
	for _, row := range []any{&account.Session{}, &account.ActivationLink{}, &account.Code{}} {
		if err := tx.Where("account_id = ?", a.ID).Delete(row).Error; err != nil {
			return err
		}
	}
	a.Email = &address
	return save(tx, a)
}

// FreezeMember freezes a membership until a founder unfreezes it. The note is shown to the member.
func (s *Members) FreezeMember(ctx context.Context, id, note string, at time.Time) error {
	return s.changeStatus(ctx, id, at, func(_ *gorm.DB, m *member.Member) (title string, err error) {
		if m.FrozenBy == member.ByFounder {
			return "", problem.New(problem.Conflict, "A founder has already frozen this membership.")
		}
		m.Status, m.FrozenBy, m.FrozenNote = member.StatusFrozen, member.ByFounder, note
		return "Your membership is frozen", nil
	})
}

// UnfreezeMember ends a founder's freeze. A membership whose payments were refunded or disputed since stays frozen
// for that reason.
func (s *Members) UnfreezeMember(ctx context.Context, id string, at time.Time) error {
	return s.changeStatus(ctx, id, at, func(tx *gorm.DB, m *member.Member) (title string, err error) {
		if m.FrozenBy != member.ByFounder {
			return "", problem.New(problem.Conflict, "No founder has frozen this membership, so nothing was changed. A refund or a dispute ends when the member pays again.")
		}
		m.Status, m.FrozenBy, m.FrozenNote = member.StatusActive, "", ""
		paid, err := readAll[checkout.Checkout](tx.Where("member_id = ?", m.ID).Order("paid_at"))
		if err != nil || len(paid) == 0 || slices.ContainsFunc(paid, checkout.Checkout.Stands) {
			return "Your membership is active again", err
		}
		m.Status, m.FrozenBy = member.StatusFrozen, paid[len(paid)-1].FreezeCause()
		return "Your membership stays frozen", nil
	})
}

// changeStatus changes a membership and notifies its member.
func (s *Members) changeStatus(ctx context.Context, id string, at time.Time, change func(*gorm.DB, *member.Member) (title string, err error)) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		m, err := lockPresent(tx, id)
		if err != nil {
			return err
		}
		title, err := change(tx, &m)
		if err != nil {
			return err
		}
		if err := save(tx, &m); err != nil {
			return err
		}
		text := "Your membership has its share of the bot's posts, and your votes count."
		if m.Status == member.StatusFrozen {
			text = m.WhyFrozen() + " A frozen membership has no share of the bot's posts, and its votes do not count."
		}
		owners, err := readAll[account.Account](tx.Where("member_id = ? AND email IS NOT NULL", m.ID))
		if err != nil {
			return err
		}
		facts := map[string]string{"Title": title, "Text": text}
		return s.db.Emails.notify(tx, owners, email.MembershipChanged, "membership_changed:"+xid.New().String(), facts, at)
	})
}

// RemoveMember ends the membership of a member who has no account, and frees its username. An account is deleted
// with its membership (RequestDeletion).
func (s *Members) RemoveMember(ctx context.Context, id string) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		m, err := lockPresent(tx, id)
		if err != nil {
			return err
		}
		m.Status, m.FrozenBy, m.FrozenNote = member.StatusRemoved, "", ""
		m.Username = account.DeletedUsername(m.ID)
		m.UsernameKey = m.Username
		return save(tx, &m)
	})
}

// lockPresent locks a member who has not left.
func lockPresent(tx *gorm.DB, id string) (member.Member, error) {
	m, err := lockByID[member.Member](tx, "member", id)
	if err == nil && m.Status == member.StatusRemoved {
		err = problem.New(problem.Conflict, "This membership has ended, so nothing was changed.")
	}
	return m, err
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
