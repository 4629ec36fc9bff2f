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

// IssueCode stores a code and writes its email. An earlier code that the same browser requested for the subject
// becomes void. An unknown subject runs the same statements, so that timing does not reveal whether it exists.
func (s *Accounts) IssueCode(ctx context.Context, n account.NewCode, at time.Time) (emailID string, err error) {
	err = s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := consumeCode(tx, n, at); err != nil {
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

// consumeCode counts a code. A user's own browsers have a limit that strangers cannot use up.
func consumeCode(tx *gorm.DB, n account.NewCode, at time.Time) error {
	own, err := hasDevice(tx, n.Account, n.Asker.Browser)
	if err != nil {
		return err
	}
	if own || n.Purpose == account.ForAddress {
		return consume(tx, account.CodesPerBrowser, n.Subject+"/"+account.Hash(n.Asker.Browser), at)
	}
	stranger := account.Asker{Networks: n.Asker.Networks}
	if err := consumeShared(tx, account.CodesForSubject, n.Subject, stranger, at); err != nil {
		return err
	}
	return consumeAll(tx, stranger.By(account.CodesPerNetwork), at)
}

// hasDevice reports whether an account was logged in with this browser before.
func hasDevice(tx *gorm.DB, who *account.Account, browser string) (bool, error) {
	id := ""
	if who != nil {
		id = who.ID
	}
	known, err := countOf[account.Device](tx.Where("account_id = ? AND token_hash = ?", id, account.Hash(browser)))
	return known > 0, err
}

func (s *Accounts) saveCode(tx *gorm.DB, n account.NewCode, at time.Time) error {
	if s.db.keys == nil {
		return errNoKeys
	}
	live := openCodeKey(n.Purpose, n.Subject, n.Asker.Browser)
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

// openCodeKey is unique for a subject and the browser that requested the code, so that requests elsewhere neither
// replace the code nor use up its attempts. A new address is requested by the account itself, in any browser.
func openCodeKey(purpose account.Purpose, subject, browser string) string {
	if purpose == account.ForAddress {
		browser = ""
	}
	return string(purpose) + ":" + subject + ":" + account.Hash(browser)
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
		opened, err = s.openSession(tx, session, at)
		return err
	})
	return opened, err
}

// RedeemAddress sets an account's email to the address that a correct code proves, and ends the account's sessions
// except the one with the ID keep. The owner of the replaced address gets an email with a link that undoes this.
func (s *Accounts) RedeemAddress(ctx context.Context, g account.Guess, undo account.Undo, keep string, at time.Time) error {
	err := s.redeem(ctx, g, at, func(tx *gorm.DB, code account.Code) error {
		known, err := lockByID[account.Account](tx, "account", *code.AccountID)
		if err != nil {
			return err
		}
		if known.Email != nil && *known.Email != code.Address {
			if err := s.offerUndo(tx, known, undo, at); err != nil {
				return err
			}
		}
		known.Email = &code.Address
		if err := save(tx, &known); err != nil {
			return err
		}
		return tx.Where("account_id = ? AND id <> ?", known.ID, keep).Delete(&account.Session{}).Error
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return problem.New(problem.Conflict, "This email address belongs to another account, so it was not added. Log in with it instead.")
	}
	return err
}

func (s *Accounts) offerUndo(tx *gorm.DB, known account.Account, undo account.Undo, at time.Time) error {
	change := account.AddressChange{
		ID: xid.New().String(), AccountID: known.ID, TokenHash: account.Hash(undo.Token), Email: *known.Email,
		CreatedAt: stamp(at), ExpiresAt: stamp(at.Add(account.UndoLife)),
	}
	if err := tx.Create(&change).Error; err != nil {
		return err
	}
	_, err := s.db.Emails.write(tx, email.AddressChanged, "address-change:"+change.ID, &known.ID, email.Content{To: change.Email, Facts: undo.Facts}, at)
	return err
}

// UndoAddress restores the address that a link names, once, and logs the account out everywhere: the session that
// changed the address may not be the owner's. Links for later changes become void.
func (s *Accounts) UndoAddress(ctx context.Context, token string, at time.Time) error {
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		change, err := readOne[account.AddressChange](tx.Clauses(forUpdate).Where("token_hash = ? AND expires_at > ?", account.Hash(token), stamp(at)))
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return problem.New(problem.CodeWrong, "This link has expired or was already used, so nothing was changed. Log in and check the address on your account page.")
		}
		if err != nil {
			return err
		}
		if err := mustChange(tx.Model(&account.Account{}).Where("id = ?", change.AccountID).Update("email", change.Email)); err != nil {
			return err
		}
		if err := tx.Where("account_id = ? AND created_at >= ?", change.AccountID, change.CreatedAt).Delete(&account.AddressChange{}).Error; err != nil {
			return err
		}
		for _, rows := range []any{&account.Session{}, &account.Device{}, &account.Code{}} {
			if err := tx.Where("account_id = ?", change.AccountID).Delete(rows).Error; err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return problem.New(problem.Conflict, "Another account uses this address now, so it was not restored. Contact the founders.")
	}
	return err
}

func (s *Accounts) redeem(
	ctx context.Context, g account.Guess, at time.Time, apply func(tx *gorm.DB, code account.Code) error,
) error {
	correct := false
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		code, live, err := countTry(tx, g, stamp(at))
		if err == nil && !live { // an open code has a separate limit
			err = consumeAll(tx, g.Asker.By(account.GuessesPerNetwork), at)
		}
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
	key := openCodeKey(g.Purpose, g.Subject, g.Asker.Browser)
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
		return s.openSession(tx, session, at)
	})
}

// BeginXLogin stores a login with X, within the caller's limits. A browser in which a user of X was logged in before
// has a limit that strangers cannot use up.
func (s *Accounts) BeginXLogin(ctx context.Context, l account.XLogin, asker account.Asker) error {
	l.CreatedAt, l.ExpiresAt = stamp(l.CreatedAt), stamp(l.ExpiresAt)
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		known, err := readFirst[account.Device](tx.Where("token_hash = ?", account.Hash(asker.Browser)).
			Where("EXISTS (SELECT 1 FROM accounts a WHERE a.id = devices.account_id AND a.x_user_id IS NOT NULL)"))
		if err != nil {
			return err
		}
		if known != nil {
			err = consume(tx, account.XLoginsPerBrowser, known.ID, l.CreatedAt)
		} else {
			err = consumeShared(tx, account.XLogins, everything, account.Asker{Networks: asker.Networks}, l.CreatedAt)
		}
		if err != nil {
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
