package store

import (
	"context"
	"time"

	"github.com/rs/xid"
	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/problem"
)

// welcome writes the letter that greets a member and lets them in: its link proves the
// address. The token stands in the sealed letter only. The key names the fact: one fact, one
// letter.
func (s *Accounts) welcome(tx *gorm.DB, a account.Account, w account.Welcome, factKey string, at time.Time) error {
	claim := account.Claim{
		ID: xid.New().String(), AccountID: a.ID, TokenHash: account.Hash(w.Token),
		CreatedAt: stamp(at), ExpiresAt: stamp(at.Add(account.ClaimLife)),
	}
	if err := tx.Create(&claim).Error; err != nil {
		return err
	}
	_, err := s.db.Emails.write(tx, email.Welcome, factKey, &a.ID, email.Content{To: *a.Email, Facts: w.Facts}, at)
	return err
}

// RedeemClaim opens a session for the link of a welcome letter, once.
func (s *Accounts) RedeemClaim(ctx context.Context, token string, session account.NewSession, at time.Time) (account.Session, error) {
	var opened account.Session
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		used := tx.Model(&account.Claim{}).
			Where("token_hash = ? AND used_at IS NULL AND expires_at > ?", account.Hash(token), stamp(at)).
			Update("used_at", stamp(at))
		if used.Error != nil {
			return used.Error
		}
		if used.RowsAffected == 0 {
			return problem.New(problem.CodeWrong, "This link was used already, or is too old. Log in with your e-mail address instead.")
		}
		var claim account.Claim
		if err := tx.Where("token_hash = ?", account.Hash(token)).Take(&claim).Error; err != nil {
			return err
		}
		session.AccountID = claim.AccountID
		var err error
		opened, err = openSession(tx, session, at)
		return err
	})
	return opened, err
}
