package store

import (
	"context"
	"errors"
	"time"

	"github.com/rs/xid"
	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

// Accounts stores accounts, sessions, codes, activation links and logins with X.
type Accounts struct{ db *DB }

// XAccount returns the account of a user whom X identified, and creates it at the first login. A handle
// belongs permanently to the numeric ID that used it first: FOUNDERS may still name a handle that its
// founder has given up and that another user has since taken on X.
func (s *Accounts) XAccount(ctx context.Context, userID, handle string, at time.Time) (account.Account, error) {
	return resultOf(ctx, s.db, func(tx *gorm.DB) (account.Account, error) { return xAccount(tx, userID, handle, at) })
}

func xAccount(tx *gorm.DB, userID, handle string, at time.Time) (account.Account, error) {
	key := member.Key(handle)
	if err := bindHandle(tx, key, userID, at); err != nil {
		return account.Account{}, err
	}
	devLogin := tx.Model(&account.Account{}).Where("x_handle_key = ? AND x_user_id LIKE ?", key, account.DevUserID+"%").
		Where("NOT EXISTS (SELECT 1 FROM accounts known WHERE known.x_user_id = ?)", userID)
	if err := devLogin.Update("x_user_id", userID).Error; err != nil {
		return account.Account{}, err
	}
	fresh := account.Account{
		ID: xid.New().String(), XUserID: &userID, XHandle: handle, XHandleKey: &key, Notices: true, CreatedAt: stamp(at),
	}
	known, err := ensureRow(tx, &fresh, "x_user_id = ?", userID)
	if errors.Is(err, gorm.ErrRecordNotFound) { // another account has the handle
		return known, handleTaken()
	}
	if err != nil || known.XHandle == handle {
		return known, err
	}
	known.XHandle, known.XHandleKey = handle, &key
	err = save(tx, &known)
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return known, handleTaken()
	}
	return known, err
}

type xHandle struct {
	HandleKey   string
	XUserID     string
	FirstUsedAt time.Time
}

// bindHandle assigns a handle to a numeric ID unless it belongs to another. A handle that only DEV_LOGIN
// used is free.
func bindHandle(tx *gorm.DB, key, userID string, at time.Time) error {
	devLogin := tx.Model(&xHandle{}).Where("handle_key = ? AND x_user_id LIKE ?", key, account.DevUserID+"%")
	if err := devLogin.Update("x_user_id", userID).Error; err != nil {
		return err
	}
	bound := xHandle{HandleKey: key, XUserID: userID, FirstUsedAt: stamp(at)}
	owner, err := ensureRow(tx, &bound, "handle_key = ?", key)
	if err == nil && owner.XUserID != userID {
		return handleTaken()
	}
	return err
}

func handleTaken() error {
	return problem.New(problem.Forbidden, "This handle was first used here by another X account, so you can't log in with it. Log in with that account or by email.")
}

// AccountByID returns an account.
func (s *Accounts) AccountByID(ctx context.Context, id string) (account.Account, error) {
	return byID[account.Account](s.db.on(ctx), "account", id)
}

// AccountByEmail returns the account with a login address, or nil.
func (s *Accounts) AccountByEmail(ctx context.Context, email string) (*account.Account, error) {
	return s.oneAccount(ctx, "email = ?", email)
}

// AccountByName returns the account with an X handle or a member's username, or nil. A handle that X has
// verified takes precedence over a username that was typed into a form.
func (s *Accounts) AccountByName(ctx context.Context, name string) (*account.Account, error) {
	const named = `id IN (SELECT id FROM accounts WHERE x_handle_key = ?
		UNION ALL SELECT a.id FROM accounts a JOIN members m ON m.id = a.member_id WHERE m.username_key = ?)`
	key := member.Key(name)
	return s.oneAccount(ctx, named, key, key)
}

func (s *Accounts) oneAccount(ctx context.Context, where string, args ...any) (*account.Account, error) {
	return readFirst[account.Account](s.db.on(ctx).Where(where, args...).Order("x_handle_key IS NULL"))
}

// SetAvatar stores an account's profile picture as a data URL.
func (s *Accounts) SetAvatar(ctx context.Context, accountID, picture string) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return mustChange(tx.Model(&account.Account{}).Where("id = ?", accountID).Update("avatar", picture))
	})
}

// SetNotices stores whether an account receives emails that can be unsubscribed from.
func (s *Accounts) SetNotices(ctx context.Context, accountID string, wanted bool) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return mustChange(tx.Model(&account.Account{}).Where("id = ?", accountID).Update("notices", wanted))
	})
}

// accountFor returns the account with a login address, and links it to the member.
func accountFor(tx *gorm.DB, email, memberID string, at time.Time) (account.Account, error) {
	known, err := accountOf(tx, email, at)
	if err != nil {
		return known, err
	}
	if known.MemberID != nil {
		return known, problem.New(problem.MemberExists, "This email address already belongs to a member.")
	}
	known.MemberID = &memberID
	return known, save(tx, &known)
}

// accountOf returns the account with a login address, locked, and creates it if there is none.
func accountOf(tx *gorm.DB, email string, at time.Time) (account.Account, error) {
	fresh := account.Account{ID: xid.New().String(), Email: &email, Notices: true, CreatedAt: stamp(at)}
	return ensureRow(tx, &fresh, "email = ?", email)
}

// OpenSession starts a session. It ends the browser's previous session, against session fixation.
func (s *Accounts) OpenSession(ctx context.Context, n account.NewSession, at time.Time) (account.Session, error) {
	return resultOf(ctx, s.db, func(tx *gorm.DB) (account.Session, error) { return s.openSession(tx, n, at) })
}

func (s *Accounts) openSession(tx *gorm.DB, n account.NewSession, at time.Time) (account.Session, error) {
	at = stamp(at)
	opened := account.Session{
		ID: xid.New().String(), AccountID: n.AccountID, TokenHash: account.Hash(n.Token), Provider: n.Provider,
		Scope: n.Scope, Device: n.Device, CreatedAt: at, SeenAt: at,
	}
	opened.ExpiresAt = opened.Expiry(at)
	if err := mayLogIn(tx, n.AccountID); err != nil {
		return opened, err
	}
	if n.Scope != "" {
		if err := consume(tx, account.TokensPerAccount, n.AccountID, at); err != nil {
			return opened, err
		}
	}
	if n.Browser != "" {
		if err := s.recognize(tx, n, at); err != nil {
			return opened, err
		}
	}
	if n.Replaces != "" {
		if err := tx.Where("token_hash = ?", account.Hash(n.Replaces)).Delete(&account.Session{}).Error; err != nil {
			return opened, err
		}
	}
	if err := tx.Create(&opened).Error; err != nil {
		return opened, err
	}
	return opened, keepNewest(tx, &account.Session{}, n.AccountID, account.MostSessions)
}

// recognize stores the browser of a login. If the account was used before, but never in this browser, it gets an
// email. Each login replaces the browser's token, so that an attacker cannot prepare one.
func (s *Accounts) recognize(tx *gorm.DB, n account.NewSession, at time.Time) error {
	known := tx.Model(&account.Device{}).Where("account_id = ? AND token_hash = ?", n.AccountID, account.Hash(n.Known)).
		Updates(map[string]any{"token_hash": account.Hash(n.Browser), "name": n.Device, "seen_at": at})
	if known.Error != nil || known.RowsAffected > 0 {
		return known.Error
	}
	used, err := s.wasUsed(tx, n.AccountID)
	if err != nil {
		return err
	}
	device := account.Device{
		ID: xid.New().String(), AccountID: n.AccountID, TokenHash: account.Hash(n.Browser), Name: n.Device, CreatedAt: at, SeenAt: at,
	}
	if err := tx.Create(&device).Error; err != nil {
		return err
	}
	if err := keepNewest(tx, &account.Device{}, n.AccountID, account.MostDevices); err != nil || !used {
		return err
	}
	return s.reportDevice(tx, device, at)
}

// wasUsed reports whether an account was logged in before. Accounts of earlier releases have sessions only.
func (s *Accounts) wasUsed(tx *gorm.DB, accountID string) (bool, error) {
	for _, rows := range []any{&account.Device{}, &account.Session{}} {
		var n int64
		if err := tx.Model(rows).Where("account_id = ?", accountID).Limit(1).Count(&n).Error; err != nil || n > 0 {
			return n > 0, err
		}
	}
	return false, nil
}

func (s *Accounts) reportDevice(tx *gorm.DB, device account.Device, at time.Time) error {
	who, err := byID[account.Account](tx, "account", device.AccountID)
	if err != nil || who.Email == nil || s.db.keys == nil {
		return err
	}
	facts := map[string]string{"Device": device.Name, "When": at.UTC().Format("2 January 2006, 15:04 UTC")}
	_, err = s.db.Emails.write(tx, email.NewDevice, "device:"+device.ID, &who.ID, email.Content{To: *who.Email, Facts: facts}, at)
	return err
}

// keepNewest deletes an account's rows beyond the most recently used.
func keepNewest(tx *gorm.DB, rows any, accountID string, most int) error {
	kept := tx.Model(rows).Select("id").Where("account_id = ?", accountID).Order("seen_at DESC, id DESC").Limit(most)
	return tx.Where("account_id = ? AND id NOT IN (?)", accountID, kept).Delete(rows).Error
}

// Login returns the account that a token acts for, or nil. Using a session extends it.
func (s *Accounts) Login(ctx context.Context, token string, at time.Time) (*account.Login, error) {
	at = stamp(at)
	session, err := readFirst[account.Session](s.db.on(ctx).Where("token_hash = ? AND expires_at > ?", account.Hash(token), at))
	if err != nil || session == nil {
		return nil, err
	}
	login, err := s.loginOf(ctx, *session)
	if err != nil {
		return nil, err
	}
	return &login, s.extend(ctx, *session, at)
}

func (s *Accounts) loginOf(ctx context.Context, session account.Session) (account.Login, error) {
	login := account.Login{Session: session}
	who, err := s.AccountByID(ctx, session.AccountID)
	if err != nil {
		return login, err
	}
	login.Account = who
	if who.MemberID == nil {
		return login, nil
	}
	m, err := readOne[member.Member](s.db.on(ctx).Where("id = ?", *who.MemberID))
	login.Username, login.MemberActive, login.WhyFrozen = m.Username, m.Status == member.StatusActive, m.WhyFrozen()
	return login, err
}

// extend extends a session in use. API tokens keep their expiry.
func (s *Accounts) extend(ctx context.Context, session account.Session, at time.Time) error {
	if session.Scope != "" || at.Sub(session.SeenAt) < account.SlideEvery {
		return nil
	}
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return tx.Model(&account.Session{}).Where("id = ?", session.ID).
			Updates(map[string]any{"seen_at": at, "expires_at": stamp(session.Expiry(at))}).Error
	})
}

// Sessions lists an account's live sessions and tokens, the last used first.
func (s *Accounts) Sessions(ctx context.Context, accountID string, at time.Time) ([]account.Session, error) {
	return readAll[account.Session](s.db.on(ctx).
		Where("account_id = ? AND expires_at > ?", accountID, stamp(at)).Order("seen_at DESC, id"))
}

// EndSession ends one session of an account, or returns a not-found problem if the account has no such
// session.
func (s *Accounts) EndSession(ctx context.Context, accountID, id string) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		ended := tx.Where("account_id = ? AND id = ?", accountID, id).Delete(&account.Session{})
		if ended.Error == nil && ended.RowsAffected == 0 {
			return asProblem(gorm.ErrRecordNotFound, "session")
		}
		return ended.Error
	})
}

// EndSessions ends every session of an account.
func (s *Accounts) EndSessions(ctx context.Context, accountID string) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return tx.Where("account_id = ?", accountID).Delete(&account.Session{}).Error
	})
}
