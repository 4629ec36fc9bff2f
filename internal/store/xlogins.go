package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

// BeginXLogin stores a login with X, within the limits.
func (s *Accounts) BeginXLogin(ctx context.Context, l account.XLogin, visitor string) error {
	l.CreatedAt, l.ExpiresAt = stamp(l.CreatedAt), stamp(l.ExpiresAt)
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := consume(tx, account.LoginsPerVisitor, visitor, l.CreatedAt); err != nil {
			return err
		}
		if err := consume(tx, account.LoginsOverall, "all", l.CreatedAt); err != nil {
			return err
		}
		return tx.Create(&l).Error
	})
}

// XLogin finds a login with X.
func (s *Accounts) XLogin(ctx context.Context, id string) (account.XLogin, error) {
	var l account.XLogin
	err := s.db.on(ctx).Where("id = ?", id).Take(&l).Error
	return l, asProblem(err, "login")
}

// RequestToken opens what a login keeps sealed.
func (s *Accounts) RequestToken(ctx context.Context, loginID string) (account.RequestToken, error) {
	l, err := s.XLogin(ctx, loginID)
	if err != nil {
		return account.RequestToken{}, err
	}
	if l.SecretID == nil {
		return account.RequestToken{}, problem.New(problem.Conflict, "This login is over.")
	}
	var t account.RequestToken
	err = s.db.readSecret(s.db.on(ctx), l.SecretID, &t)
	return t, err
}

// SendXLoginAway keeps the request token while the person is with X. Repeated, it keeps
// the first.
func (s *Accounts) SendXLoginAway(ctx context.Context, id string, t account.RequestToken, runID string) (account.XLogin, error) {
	return s.changeXLogin(ctx, id, func(tx *gorm.DB, l *account.XLogin) error {
		if l.State != account.Asking {
			return nil
		}
		hash := account.Hash(t.Token)
		l.State, l.TokenHash, l.RunID = account.Away, &hash, runID
		return s.keepToken(tx, l, t)
	})
}

// keepToken seals the token in place of what the login kept before.
func (s *Accounts) keepToken(tx *gorm.DB, l *account.XLogin, t account.RequestToken) error {
	old := l.SecretID
	secretID, err := s.db.saveSecret(tx, t)
	if err != nil {
		return err
	}
	l.SecretID = secretID
	return s.letGoOf(tx, l, old)
}

// letGoOf saves a login that refers to a secret no more, and forgets the secret.
func (s *Accounts) letGoOf(tx *gorm.DB, l *account.XLogin, secretID *string) error {
	if err := mustChange(tx.Select("*").Updates(l)); err != nil {
		return err
	}
	return deleteSecret(tx, secretID)
}

// BringXLoginBack takes a returning browser in, once, and only the one that left.
func (s *Accounts) BringXLoginBack(ctx context.Context, r account.Returned, at time.Time) (account.XLogin, error) {
	var l account.XLogin
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		err := tx.Clauses(forUpdate).Where("token_hash = ? AND browser_hash = ? AND state = ? AND expires_at > ?",
			account.Hash(r.Token), r.BrowserHash, account.Away, stamp(at)).Take(&l).Error
		if err != nil {
			return asProblem(err, "login")
		}
		if r.Verifier == "" {
			return s.end(tx, &l, account.Denied, "", nil)
		}
		var t account.RequestToken
		if err := s.db.readSecret(tx, l.SecretID, &t); err != nil {
			return err
		}
		t.Verifier, l.State = r.Verifier, account.Back
		return s.keepToken(tx, &l, t)
	})
	return l, err
}

// EndXLogin says how a login ended, unless it has ended already.
func (s *Accounts) EndXLogin(
	ctx context.Context, id string, outcome account.Outcome, detail string, accountID *string,
) (account.XLogin, error) {
	return s.changeXLogin(ctx, id, func(tx *gorm.DB, l *account.XLogin) error {
		if l.State == account.Ended {
			return nil
		}
		return s.end(tx, l, outcome, detail, accountID)
	})
}

func (s *Accounts) end(tx *gorm.DB, l *account.XLogin, outcome account.Outcome, detail string, accountID *string) error {
	old := l.SecretID
	l.State, l.Outcome, l.Detail, l.AccountID, l.SecretID = account.Ended, outcome, detail, accountID, nil
	return s.letGoOf(tx, l, old)
}

func (s *Accounts) changeXLogin(
	ctx context.Context, id string, alter func(*gorm.DB, *account.XLogin) error,
) (account.XLogin, error) {
	var l account.XLogin
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := tx.Clauses(forUpdate).Where("id = ?", id).Take(&l).Error; err != nil {
			return asProblem(err, "login")
		}
		if err := alter(tx, &l); err != nil {
			return err
		}
		return mustChange(tx.Select("*").Updates(&l))
	})
	return l, err
}
