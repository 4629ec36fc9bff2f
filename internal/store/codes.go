package store

import (
	"context"
	"errors"
	"time"

	"github.com/rs/xid"
	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/problem"
)

// IssueCode stores a code and writes its e-mail. The subject's earlier code becomes void. An unknown
// subject costs the same statements.
func (s *Accounts) IssueCode(ctx context.Context, n account.NewCode, at time.Time) (emailID string, err error) {
	err = s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := consume(tx, account.CodesPerSubject, n.Subject, at); err != nil {
			return err
		}
		if err := consume(tx, account.CodesPerVisitor, n.Visitor, at); err != nil {
			return err
		}
		if err := s.keepCode(tx, n, stamp(at)); err != nil {
			return err
		}
		kind := email.LoginCode
		if n.Purpose == account.ForAddress {
			kind = email.AddressCode
		}
		emailID, err = s.db.Emails.write(tx, kind, "code:"+xid.New().String(), accountIDOf(n.Account),
			email.Content{To: n.Address, Facts: n.Facts}, at)
		return err
	})
	return emailID, err
}

func (s *Accounts) keepCode(tx *gorm.DB, n account.NewCode, at time.Time) error {
	if s.db.keys == nil {
		return errNoKeys
	}
	live := openCodeKey(n.Purpose, n.Subject)
	if err := tx.Model(&account.Code{}).Where("open_key = ?", live).Update("open_key", nil).Error; err != nil {
		return err
	}
	code := account.Code{
		ID: xid.New().String(), Purpose: n.Purpose, Subject: n.Subject, OpenKey: &live, AccountID: accountIDOf(n.Account),
		CreatedAt: at, ExpiresAt: at.Add(account.CodeLife),
	}
	if n.Purpose == account.ForAddress {
		code.Address = n.Address
	}
	code.CodeMAC = s.db.keys.Mark(n.Code, "login_codes/"+code.ID)
	return tx.Create(&code).Error
}

func openCodeKey(purpose account.Purpose, subject string) string {
	return string(purpose) + ":" + subject
}

func accountIDOf(a *account.Account) *string {
	if a == nil {
		return nil
	}
	return &a.ID
}

// RedeemLogin opens a session for the right code. Every try is counted before it is
// judged, right or wrong, so that no number of tries at once gets more than five.
func (s *Accounts) RedeemLogin(ctx context.Context, g account.Guess, session account.NewSession, at time.Time) (account.Session, error) {
	var opened account.Session
	err := s.redeem(ctx, g, at, func(tx *gorm.DB, code account.Code) (err error) {
		session.AccountID = *code.AccountID
		opened, err = openSession(tx, session, at)
		return err
	})
	return opened, err
}

// RedeemAddress gives an account the address that the right code proves.
func (s *Accounts) RedeemAddress(ctx context.Context, g account.Guess, at time.Time) error {
	err := s.redeem(ctx, g, at, func(tx *gorm.DB, code account.Code) error {
		return mustChange(tx.Model(&account.Account{}).Where("id = ?", *code.AccountID).Update("email", code.Address))
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return problem.New(problem.Conflict, "This address belongs to another account. Log in with it instead.")
	}
	return err
}

func (s *Accounts) redeem(
	ctx context.Context, g account.Guess, at time.Time, prize func(tx *gorm.DB, code account.Code) error,
) error {
	right := false
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := consume(tx, account.GuessesPerVisitor, g.Visitor, at); err != nil {
			return err
		}
		code, live, err := countTry(tx, g, stamp(at))
		if err != nil || !live {
			return err
		}
		if right = s.db.keys.Marked(code.CodeMAC, g.Code, "login_codes/"+code.ID) && code.AccountID != nil; !right {
			return nil // the try is counted, so the transaction has to stand
		}
		if err := mustChange(tx.Model(&account.Code{}).Where("id = ?", code.ID).Update("open_key", nil)); err != nil {
			return err
		}
		return prize(tx, code)
	})
	if err == nil && !right {
		return problem.New(problem.CodeWrong, "That code is not right, or no longer good. After five tries, or ten minutes, ask for a new one.")
	}
	return err
}

// countTry uses up one of the live code's tries.
func countTry(tx *gorm.DB, g account.Guess, at time.Time) (code account.Code, live bool, err error) {
	key := openCodeKey(g.Purpose, g.Subject)
	counted := tx.Model(&account.Code{}).
		Where("open_key = ? AND tries < ? AND expires_at > ?", key, account.CodeTries, at).
		Update("tries", gorm.Expr("tries + 1"))
	if counted.Error != nil || counted.RowsAffected == 0 {
		return code, false, counted.Error
	}
	err = tx.Where("open_key = ?", key).Take(&code).Error
	return code, err == nil, err
}

// welcome writes the e-mail that greets a member and lets them in: its link proves the
// address. The token stands in the sealed letter only. The key names the fact: one fact, one
// letter.
func (s *Accounts) welcome(tx *gorm.DB, a account.Account, w account.Welcome, factKey string, at time.Time) error {
	claim := account.ActivationLink{
		ID: xid.New().String(), AccountID: a.ID, TokenHash: account.Hash(w.Token),
		CreatedAt: stamp(at), ExpiresAt: stamp(at.Add(account.ActivationLinkLife)),
	}
	if err := tx.Create(&claim).Error; err != nil {
		return err
	}
	_, err := s.db.Emails.write(tx, email.Welcome, factKey, &a.ID, email.Content{To: *a.Email, Facts: w.Facts}, at)
	return err
}

// RedeemActivationLink opens a session for the link of a welcome letter, once.
func (s *Accounts) RedeemActivationLink(ctx context.Context, token string, session account.NewSession, at time.Time) (account.Session, error) {
	var opened account.Session
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		used := tx.Model(&account.ActivationLink{}).
			Where("token_hash = ? AND used_at IS NULL AND expires_at > ?", account.Hash(token), stamp(at)).
			Update("used_at", stamp(at))
		if used.Error != nil {
			return used.Error
		}
		if used.RowsAffected == 0 {
			return problem.New(problem.CodeWrong, "This link was used already, or is too old. Log in with your e-mail address instead.")
		}
		var claim account.ActivationLink
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
