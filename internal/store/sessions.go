package store

import (
	"context"
	"errors"
	"time"

	"github.com/rs/xid"
	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
)

// OpenSession begins a session. What the browser held before is not the session after.
func (s *Accounts) OpenSession(ctx context.Context, n account.NewSession, at time.Time) (account.Session, error) {
	var opened account.Session
	err := s.db.inTx(ctx, func(tx *gorm.DB) (err error) {
		opened, err = openSession(tx, n, at)
		return err
	})
	return opened, err
}

func openSession(tx *gorm.DB, n account.NewSession, at time.Time) (account.Session, error) {
	at = stamp(at)
	life := account.SessionLife
	if n.Scope != "" {
		life = account.TokenLife
	}
	opened := account.Session{
		ID: xid.New().String(), AccountID: n.AccountID, TokenHash: account.Hash(n.Token), Provider: n.Provider,
		Scope: n.Scope, Device: n.Device, CreatedAt: at, SeenAt: at, ExpiresAt: at.Add(life),
	}
	if err := mayLogIn(tx, n.AccountID); err != nil {
		return opened, err
	}
	if n.Replaces != "" {
		if err := tx.Where("token_hash = ?", account.Hash(n.Replaces)).Delete(&account.Session{}).Error; err != nil {
			return opened, err
		}
	}
	return opened, tx.Create(&opened).Error
}

// Login finds the account that a token acts for; nil: none. Using a session extends it.
func (s *Accounts) Login(ctx context.Context, token string, at time.Time) (*account.Login, error) {
	at = stamp(at)
	session, err := readOne[account.Session](s.db.on(ctx).
		Where("token_hash = ? AND expires_at > ?", account.Hash(token), at))
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil //nolint:nilnil // a token that is nobody's is an ordinary answer
	}
	if err != nil {
		return nil, err
	}
	login, err := s.loginOf(ctx, session)
	if err != nil {
		return nil, err
	}
	return &login, s.extend(ctx, session, at)
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
	login.Username, login.MemberActive = m.Username, m.Status == member.StatusActive
	return login, err
}

// extend moves the end of a session that is in use. Minted tokens stay as short as they are.
func (s *Accounts) extend(ctx context.Context, session account.Session, at time.Time) error {
	if session.Scope != "" || at.Sub(session.SeenAt) < account.SlideEvery {
		return nil
	}
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return tx.Model(&account.Session{}).Where("id = ?", session.ID).
			Updates(map[string]any{"seen_at": at, "expires_at": at.Add(account.SessionLife)}).Error
	})
}

// Sessions lists an account's live sessions and tokens, the last used first.
func (s *Accounts) Sessions(ctx context.Context, accountID string, at time.Time) ([]account.Session, error) {
	return readAll[account.Session](s.db.on(ctx).
		Where("account_id = ? AND expires_at > ?", accountID, stamp(at)).Order("seen_at DESC, id"))
}

// EndSession ends one session of an account. One that has ended, or is another's, is no such session.
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
