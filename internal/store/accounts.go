package store

import (
	"context"
	"errors"
	"time"

	"github.com/rs/xid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

// Accounts stores who can log in: accounts, sessions, codes, activation links and logins with X.
type Accounts struct{ db *DB }

// XAccount gives the account of somebody whom X named, and makes it at their first login.
// A handle belongs to the number that came with it first, for ever: FOUNDERS may still name one
// that its founder has given up, and anybody can take it over at X.
func (s *Accounts) XAccount(ctx context.Context, userID, handle string, at time.Time) (account.Account, error) {
	var a account.Account
	err := s.db.inTx(ctx, func(tx *gorm.DB) (err error) {
		a, err = xAccount(tx, userID, handle, at)
		return err
	})
	return a, err
}

func xAccount(tx *gorm.DB, userID, handle string, at time.Time) (account.Account, error) {
	key := member.Key(handle)
	if err := bindHandle(tx, key, userID, at); err != nil {
		return account.Account{}, err
	}
	believed := tx.Model(&account.Account{}).Where("x_handle_key = ? AND x_user_id LIKE ?", key, account.DevUserID+"%").
		Where("NOT EXISTS (SELECT 1 FROM accounts known WHERE known.x_user_id = ?)", userID)
	if err := believed.Update("x_user_id", userID).Error; err != nil {
		return account.Account{}, err
	}
	fresh := account.Account{
		ID: xid.New().String(), XUserID: &userID, XHandle: handle, XHandleKey: &key, Notices: true, CreatedAt: stamp(at),
	}
	if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&fresh).Error; err != nil {
		return fresh, err
	}
	var known account.Account
	err := tx.Clauses(forUpdate).Where("x_user_id = ?", userID).Take(&known).Error
	if errors.Is(err, gorm.ErrRecordNotFound) { // the handle stands in another's row
		return known, handleTaken()
	}
	if err != nil || known.XHandle == handle {
		return known, err
	}
	known.XHandle, known.XHandleKey = handle, &key
	err = mustChange(tx.Select("*").Updates(&known))
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return known, handleTaken()
	}
	return known, err
}

// xHandle says to whom a handle belongs.
type xHandle struct {
	HandleKey string
	XUserID   string
	Since     time.Time
}

// bindHandle makes a handle the number's, unless it is another's. What DEV_LOGIN believed is
// nobody's yet.
func bindHandle(tx *gorm.DB, key, userID string, at time.Time) error {
	believed := tx.Model(&xHandle{}).Where("handle_key = ? AND x_user_id LIKE ?", key, account.DevUserID+"%")
	if err := believed.Update("x_user_id", userID).Error; err != nil {
		return err
	}
	bound := xHandle{HandleKey: key, XUserID: userID, Since: stamp(at)}
	if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&bound).Error; err != nil {
		return err
	}
	owner, err := readOne[xHandle](tx.Clauses(forUpdate).Where("handle_key = ?", key))
	if err == nil && owner.XUserID != userID {
		return handleTaken()
	}
	return err
}

func handleTaken() error {
	return problem.New(problem.Forbidden, "This handle belonged to another X account when it was first used here.")
}

// AccountByID finds an account.
func (s *Accounts) AccountByID(ctx context.Context, id string) (account.Account, error) {
	a, err := readOne[account.Account](s.db.on(ctx).Where("id = ?", id))
	return a, asProblem(err, "account")
}

// AccountByEmail finds who logs in with an address; nobody is nil.
func (s *Accounts) AccountByEmail(ctx context.Context, email string) (*account.Account, error) {
	return s.oneAccount(ctx, "email = ?", email)
}

// AccountByName finds who logs in under a handle with X, or under a member's name; nobody
// is nil. What X has proven goes before what somebody typed into a form.
func (s *Accounts) AccountByName(ctx context.Context, name string) (*account.Account, error) {
	const named = `id IN (SELECT id FROM accounts WHERE x_handle_key = ?
		UNION ALL SELECT a.id FROM accounts a JOIN members m ON m.id = a.member_id WHERE m.username_key = ?)`
	key := member.Key(name)
	return s.oneAccount(ctx, named, key, key)
}

func (s *Accounts) oneAccount(ctx context.Context, where string, args ...any) (*account.Account, error) {
	return readFirst[account.Account](s.db.on(ctx).Where(where, args...).Order("x_handle_key IS NULL"))
}

// SetNotices says whether somebody wants letters that may be unsubscribed.
func (s *Accounts) SetNotices(ctx context.Context, accountID string, wanted bool) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return mustChange(tx.Model(&account.Account{}).Where("id = ?", accountID).Update("notices", wanted))
	})
}

// accountFor gives the account that logs in with the address, and makes it a member's.
func accountFor(tx *gorm.DB, email, memberID string, at time.Time) (account.Account, error) {
	known, err := accountOf(tx, email, at)
	if err != nil {
		return known, err
	}
	if known.MemberID != nil {
		return known, problem.New(problem.MemberExists, "Somebody with this address is a member already.")
	}
	known.MemberID = &memberID
	return known, mustChange(tx.Select("*").Updates(&known))
}

// accountOf gives the account that logs in with the address, locked, and makes it if there
// is none.
func accountOf(tx *gorm.DB, email string, at time.Time) (account.Account, error) {
	fresh := account.Account{ID: xid.New().String(), Email: &email, Notices: true, CreatedAt: stamp(at)}
	if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&fresh).Error; err != nil {
		return fresh, err
	}
	var known account.Account
	err := tx.Clauses(forUpdate).Where("email = ?", email).Take(&known).Error
	return known, err
}
