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

// RedeemActivationLink opens a session for the link of a welcome email, once.
func (s *Accounts) RedeemActivationLink(ctx context.Context, token string, session account.NewSession, at time.Time) (account.Session, error) {
	return resultOf(ctx, s.db, func(tx *gorm.DB) (opened account.Session, err error) {
		used := tx.Model(&account.ActivationLink{}).
			Where("token_hash = ? AND used_at IS NULL AND expires_at > ?", account.Hash(token), stamp(at)).
			Update("used_at", stamp(at))
		if used.Error != nil {
			return opened, used.Error
		}
		if used.RowsAffected == 0 {
			return opened, problem.New(problem.CodeWrong, "This link was used already, or is too old. Log in with your e-mail address instead.")
		}
		link, err := readOne[account.ActivationLink](tx.Where("token_hash = ?", account.Hash(token)))
		if err != nil {
			return opened, err
		}
		session.AccountID = link.AccountID
		return openSession(tx, session, at)
	})
}

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
	return byID[account.XLogin](s.db.on(ctx), "login", id)
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
	return changeRow(ctx, s.db, "login", id, func(tx *gorm.DB, l *account.XLogin) error {
		if l.State != account.RequestingToken {
			return nil
		}
		hash := account.Hash(t.Token)
		l.State, l.TokenHash, l.RunID = account.Redirected, &hash, runID
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
	return saveWithoutSecret(tx, l, old)
}

// BringXLoginBack takes a returning browser in, once, and only the one that left.
func (s *Accounts) BringXLoginBack(ctx context.Context, r account.Returned, at time.Time) (account.XLogin, error) {
	return resultOf(ctx, s.db, func(tx *gorm.DB) (account.XLogin, error) {
		l, err := readOne[account.XLogin](tx.Clauses(forUpdate).Where("token_hash = ? AND browser_hash = ? AND state = ? AND expires_at > ?",
			account.Hash(r.Token), r.BrowserHash, account.Redirected, stamp(at)))
		if err != nil {
			return l, asProblem(err, "login")
		}
		if r.Verifier == "" {
			return l, endXLogin(tx, &l, account.Denied, "", nil)
		}
		var t account.RequestToken
		if err := s.db.readSecret(tx, l.SecretID, &t); err != nil {
			return l, err
		}
		t.Verifier, l.State = r.Verifier, account.Verifying
		return l, s.keepToken(tx, &l, t)
	})
}

// EndXLogin says how a login ended, unless it has ended already.
func (s *Accounts) EndXLogin(
	ctx context.Context, id string, outcome account.Outcome, detail string, accountID *string,
) (account.XLogin, error) {
	return changeRow(ctx, s.db, "login", id, func(tx *gorm.DB, l *account.XLogin) error {
		if l.State == account.Ended {
			return nil
		}
		return endXLogin(tx, l, outcome, detail, accountID)
	})
}

func endXLogin(tx *gorm.DB, l *account.XLogin, outcome account.Outcome, detail string, accountID *string) error {
	old := l.SecretID
	l.State, l.Outcome, l.Detail, l.AccountID, l.SecretID = account.Ended, outcome, detail, accountID, nil
	return saveWithoutSecret(tx, l, old)
}
