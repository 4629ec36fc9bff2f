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

// IssueCode stores a code and writes its email. The subject's earlier code becomes void. An unknown
// subject runs the same statements, so that timing does not reveal whether it exists.
func (s *Accounts) IssueCode(ctx context.Context, n account.NewCode, at time.Time) (emailID string, err error) {
	err = s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := consume(tx, account.CodesPerSubject, n.Subject, at); err != nil {
			return err
		}
		if err := consume(tx, account.CodesPerVisitor, n.Visitor, at); err != nil {
			return err
		}
		if err := s.saveCode(tx, n, stamp(at)); err != nil {
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

func (s *Accounts) saveCode(tx *gorm.DB, n account.NewCode, at time.Time) error {
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

// RedeemLogin opens a session for a correct code. Every attempt is counted before it is checked, so that
// concurrent attempts cannot exceed five.
func (s *Accounts) RedeemLogin(ctx context.Context, g account.Guess, session account.NewSession, at time.Time) (account.Session, error) {
	var opened account.Session
	err := s.redeem(ctx, g, at, func(tx *gorm.DB, code account.Code) (err error) {
		session.AccountID = *code.AccountID
		opened, err = openSession(tx, session, at)
		return err
	})
	return opened, err
}

// RedeemAddress sets an account's email to the address that a correct code proves.
func (s *Accounts) RedeemAddress(ctx context.Context, g account.Guess, at time.Time) error {
	err := s.redeem(ctx, g, at, func(tx *gorm.DB, code account.Code) error {
		return mustChange(tx.Model(&account.Account{}).Where("id = ?", *code.AccountID).Update("email", code.Address))
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return problem.New(problem.Conflict, "This email address belongs to another account, so it was not added. Log in with it instead.")
	}
	return err
}

func (s *Accounts) redeem(
	ctx context.Context, g account.Guess, at time.Time, apply func(tx *gorm.DB, code account.Code) error,
) error {
	correct := false
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := consume(tx, account.GuessesPerVisitor, g.Visitor, at); err != nil {
			return err
		}
		code, live, err := countTry(tx, g, stamp(at))
		if err != nil || !live {
			return err
		}
		if correct = s.db.keys.Marked(code.CodeMAC, g.Code, "login_codes/"+code.ID) && code.AccountID != nil; !correct {
			return nil // commit, so that the attempt stays counted
		}
		if err := mustChange(tx.Model(&account.Code{}).Where("id = ?", code.ID).Update("open_key", nil)); err != nil {
			return err
		}
		return apply(tx, code)
	})
	if err == nil && !correct {
		return problem.New(problem.CodeWrong, "Incorrect or expired code. Codes expire after 10 minutes or 5 attempts; request a new one.")
	}
	return err
}

// countTry counts an attempt on the subject's live code.
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

// welcome writes the email with a new member's activation link, which proves the address. Only the
// encrypted email holds the token. factKey makes it one email per fact.
func (s *Accounts) welcome(tx *gorm.DB, a account.Account, w account.Welcome, factKey string, at time.Time) error {
	link := account.ActivationLink{
		ID: xid.New().String(), AccountID: a.ID, TokenHash: account.Hash(w.Token),
		CreatedAt: stamp(at), ExpiresAt: stamp(at.Add(account.ActivationLinkLife)),
	}
	if err := tx.Create(&link).Error; err != nil {
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
			return opened, problem.New(problem.CodeWrong, "This link has expired or was already used. Log in with your email address instead.")
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

// OpenXLogins lists the logins with X from before a time that have not ended.
func (s *Accounts) OpenXLogins(ctx context.Context, before time.Time) ([]account.XLogin, error) {
	return readAll[account.XLogin](s.db.on(ctx).Where("state <> 'ended' AND created_at <= ?", stamp(before)).Order("created_at, id"))
}

// XLogin returns a login with X.
func (s *Accounts) XLogin(ctx context.Context, id string) (account.XLogin, error) {
	return byID[account.XLogin](s.db.on(ctx), "login", id)
}

// RequestToken decrypts a login's request token.
func (s *Accounts) RequestToken(ctx context.Context, loginID string) (account.RequestToken, error) {
	l, err := s.XLogin(ctx, loginID)
	if err != nil {
		return account.RequestToken{}, err
	}
	if l.SecretID == nil {
		return account.RequestToken{}, problem.New(problem.Conflict, "This login has ended. Start again.")
	}
	var t account.RequestToken
	err = s.db.readSecret(s.db.on(ctx), l.SecretID, &t)
	return t, err
}

// RedirectXLogin stores the request token while the user is at X. Repeated, it keeps the first.
func (s *Accounts) RedirectXLogin(ctx context.Context, id string, t account.RequestToken, runID string) (account.XLogin, error) {
	return changeRow(ctx, s.db, "login", id, func(tx *gorm.DB, l *account.XLogin) error {
		if l.State != account.RequestingToken {
			return nil
		}
		hash := account.Hash(t.Token)
		l.State, l.TokenHash, l.RunID = account.Redirected, &hash, runID
		return s.replaceToken(tx, l, t)
	})
}

func (s *Accounts) replaceToken(tx *gorm.DB, l *account.XLogin, t account.RequestToken) error {
	old := l.SecretID
	secretID, err := s.db.saveSecret(tx, t)
	if err != nil {
		return err
	}
	l.SecretID = secretID
	return saveWithoutSecret(tx, l, old)
}

// BringXLoginBack accepts a browser that returns from X, once, and only the one that left.
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
		return l, s.replaceToken(tx, &l, t)
	})
}

// EndXLogin stores how a login ended. The first outcome is kept.
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
