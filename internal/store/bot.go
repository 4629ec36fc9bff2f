package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/rs/xid"
	"gorm.io/gorm"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// Bot stores what the bot posts with: its connection, the app's keys and the posting controls.
type Bot struct{ db *DB }

// botRow is the one row that says what posting uses. It names the last connection even
// when that was removed: the next one must be of the same account while posts are
// unsettled.
type botRow struct {
	ID            int
	ConnectionID  *string
	ProviderKeyID *string

	ApprovalRequired bool // members' posts need a founder's approval
	PausedAt         *time.Time
	PausedBy         string
	PauseReason      string
}

func (botRow) TableName() string { return "bot" }

const theBot = 1

// lockBot serializes arming a post with changing what it is sent with.
func lockBot(tx *gorm.DB) (botRow, error) {
	var row botRow
	return row, tx.Clauses(forUpdate).Where("id = ?", theBot).Take(&row).Error
}

func (r botRow) controls() bot.PostingControls {
	return bot.PostingControls{Approval: r.ApprovalRequired, PausedAt: r.PausedAt, PausedBy: r.PausedBy, PauseReason: r.PauseReason}
}

// Controls is what holds posts back.
func (s *Bot) Controls(ctx context.Context) (bot.PostingControls, error) {
	row, err := readOne[botRow](s.db.on(ctx).Where("id = ?", theBot))
	return row.controls(), err
}

// SetControls changes what holds posts back, and says how it was and is. Arming a post locks the
// same row: once this has answered, nothing is sent that it holds back. Let go, the posts that
// waited are due again, and their runs still have to be signaled. Safe to repeat.
func (s *Bot) SetControls(ctx context.Context, c bot.ControlsChange, by string, at time.Time) (was, is bot.PostingControls, err error) {
	err = s.db.inTx(ctx, func(tx *gorm.DB) error {
		row, err := lockBot(tx)
		if err != nil {
			return err
		}
		was = row.controls()
		is = was.After(c, by, stamp(at))
		if was.Paused() && !is.Paused() {
			if err := wakePosts(tx, post.CodePaused); err != nil {
				return err
			}
		}
		return tx.Model(&row).Updates(map[string]any{
			"approval_required": is.Approval, "paused_at": is.PausedAt, "paused_by": is.PausedBy, "pause_reason": is.PauseReason,
		}).Error
	})
	return was, is, err
}

// connectedWith reports whether this connection is the current one, and returns the posting controls.
// Neither can change until the transaction ends.
func (s *Bot) connectedWith(tx *gorm.DB, connectionID string) (bool, bot.PostingControls, error) {
	row, err := lockBot(tx)
	if err != nil {
		return false, row.controls(), err
	}
	c, err := s.lastConnection(tx)
	return err == nil && c != nil && c.State == bot.Current && c.ID == connectionID, row.controls(), err
}

// Connection is the bot's account as it is connected now; nil when it is not.
func (s *Bot) Connection(ctx context.Context) (*bot.Connection, error) {
	c, err := s.lastConnection(s.db.on(ctx))
	if err != nil || c == nil || c.State != bot.Current {
		return nil, err
	}
	return c, nil
}

func (s *Bot) lastConnection(tx *gorm.DB) (*bot.Connection, error) {
	return readFirst[bot.Connection](tx.Where("id = (SELECT connection_id FROM bot WHERE id = ?)", theBot))
}

// ConnectionByID finds a connection.
func (s *Bot) ConnectionByID(ctx context.Context, id string) (bot.Connection, error) {
	c, err := readOne[bot.Connection](s.db.on(ctx).Where("id = ?", id))
	return c, asProblem(err, "connection")
}

// ConnectionTokens opens a connection's tokens.
func (s *Bot) ConnectionTokens(ctx context.Context, id string) (bot.Connection, bot.Tokens, error) {
	var tokens bot.Tokens
	var row bot.Connection
	tx := s.db.on(ctx)
	if err := tx.Where("id = ?", id).Take(&row).Error; err != nil {
		return row, tokens, asProblem(err, "connection")
	}
	err := s.db.readSecret(tx, row.SecretID, &tokens)
	return row, tokens, err
}

// ProposeConnection keeps tokens, sealed, until X was asked about them.
func (s *Bot) ProposeConnection(ctx context.Context, tokens bot.Tokens, accountID *string, at time.Time) (bot.Connection, error) {
	row := bot.Connection{
		ID: xid.New().String(), State: bot.Candidate, AccountID: accountID, CreatedAt: stamp(at),
		Fingerprint: bot.Fingerprint(tokens.AccessToken, tokens.AccessSecret),
	}
	err := s.db.inTx(ctx, func(tx *gorm.DB) error { return s.propose(tx, &row, tokens) })
	return row, err
}

func (s *Bot) propose(tx *gorm.DB, row *bot.Connection, tokens bot.Tokens) error {
	secretID, err := s.db.saveSecret(tx, tokens)
	if err != nil {
		return err
	}
	row.SecretID = secretID
	return tx.Create(row).Error
}

// Connect makes a candidate the connection that posting uses. While posts are unsettled
// it must be of the account that may have sent them: another's timeline would say that
// they never went out.
func (s *Bot) Connect(ctx context.Context, id, userID, username, runID string, at time.Time) (bot.Connection, error) {
	return s.changeConnection(ctx, id, func(tx *gorm.DB, c *bot.Connection, row botRow) error {
		if c.State != bot.Candidate {
			return nil
		}
		c.UserID, c.Username, c.RunID = userID, username, runID
		last, err := s.lastConnection(tx)
		if err != nil {
			return err
		}
		if last != nil {
			if err := sameAccount(tx, *last, *c); err != nil {
				return err
			}
			if err := s.retire(tx, last, at); err != nil {
				return err
			}
		}
		c.State = bot.Current
		if err := wakePosts(tx, post.CodeNotConnected); err != nil {
			return err
		}
		return tx.Model(&row).Update("connection_id", c.ID).Error
	})
}

// wakePosts lets go of the posts that waited for what the code names.
func wakePosts(tx *gorm.DB, code string) error {
	return tx.Model(&post.Post{}).Where("status = ? AND code = ?", post.StatusScheduled, code).
		Updates(map[string]any{"waiting_until": nil, "code": "", "reason": ""}).Error
}

func sameAccount(tx *gorm.DB, last, next bot.Connection) error {
	same := strings.EqualFold(last.Username, next.Username)
	if last.UserID != "" && next.UserID != "" {
		same = last.UserID == next.UserID
	}
	if same {
		return nil
	}
	var unsettled int64 // an unknown post that is no longer open stays unknown, whoever looks
	err := tx.Model(&post.Post{}).
		Where("status IN ? AND open_key IS NOT NULL", []post.Status{post.StatusArmed, post.StatusUnknown}).Count(&unsettled).Error
	if err != nil || unsettled == 0 {
		return err
	}
	return problem.New(problem.Conflict,
		"These tokens are another account's, and of %d posts it is not known whether they went out. Settle those first: only the old account's timeline can tell.", unsettled)
}

// retire ends the current connection and forgets its tokens.
func (s *Bot) retire(tx *gorm.DB, c *bot.Connection, at time.Time) error {
	if c.State != bot.Current {
		return nil
	}
	return s.endConnection(tx, c, bot.Removed, "", "", at)
}

func (s *Bot) endConnection(tx *gorm.DB, c *bot.Connection, state bot.State, code, reason string, at time.Time) error {
	secretID, ended := c.SecretID, stamp(at)
	c.State, c.Code, c.Reason, c.SecretID, c.EndedAt = state, code, reason, nil, &ended
	if err := mustChange(tx.Select("*").Updates(c)); err != nil {
		return err
	}
	return deleteSecret(tx, secretID)
}

// RefuseConnection ends a candidate that X did not accept.
func (s *Bot) RefuseConnection(ctx context.Context, id, code, reason, runID string, at time.Time) (bot.Connection, error) {
	return s.changeConnection(ctx, id, func(tx *gorm.DB, c *bot.Connection, _ botRow) error {
		if c.State != bot.Candidate {
			return nil
		}
		c.RunID = runID
		return s.endConnection(tx, c, bot.Refused, code, reason, at)
	})
}

// Disconnect forgets the bot's tokens, and says which posts wait from now on.
func (s *Bot) Disconnect(ctx context.Context, at time.Time) ([]post.Post, error) {
	var stopped []post.Post
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		if _, err := lockBot(tx); err != nil {
			return err
		}
		last, err := s.lastConnection(tx)
		if err != nil {
			return err
		}
		if last != nil {
			if err := s.retire(tx, last, at); err != nil {
				return err
			}
		}
		return tx.Where("status = ?", post.StatusScheduled).Order("scheduled_at, id").Find(&stopped).Error
	})
	return stopped, err
}

func (s *Bot) changeConnection(
	ctx context.Context, id string, alter func(*gorm.DB, *bot.Connection, botRow) error,
) (bot.Connection, error) {
	var row bot.Connection
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		locked, err := lockBot(tx)
		if err != nil {
			return err
		}
		if err := tx.Where("id = ?", id).Take(&row).Error; err != nil {
			return asProblem(err, "connection")
		}
		if err := alter(tx, &row, locked); err != nil {
			return err
		}
		return mustChange(tx.Select("*").Updates(&row))
	})
	return row, err
}

// SeedConnection takes the configuration's tokens up, unless they were in use before, or a
// person has connected others. Like Connect, it refuses another account's while posts are
// unsettled.
func (s *Bot) SeedConnection(ctx context.Context, tokens bot.Tokens, username string, at time.Time) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		locked, err := lockBot(tx)
		if err != nil {
			return err
		}
		row := bot.Connection{
			ID: xid.New().String(), State: bot.Current, Username: username, CreatedAt: stamp(at),
			Fingerprint: bot.Fingerprint(tokens.AccessToken, tokens.AccessSecret),
		}
		seen, err := s.everUsed(tx, &bot.Connection{}, row.Fingerprint)
		if err != nil || seen {
			return err
		}
		last, err := s.lastConnection(tx)
		if err != nil {
			return err
		}
		if last != nil && last.AccountID != nil {
			return nil
		}
		if last != nil {
			if err := sameAccount(tx, *last, row); err != nil {
				return err
			}
			if err := s.retire(tx, last, at); err != nil {
				return err
			}
		}
		if err := s.propose(tx, &row, tokens); err != nil {
			return err
		}
		if err := wakePosts(tx, post.CodeNotConnected); err != nil {
			return err
		}
		return tx.Model(&locked).Update("connection_id", row.ID).Error
	})
}

// everUsed reports whether the secrets were ever in use. Candidates and refused ones do not count: X may
// have been unavailable when they were tried.
func (s *Bot) everUsed(tx *gorm.DB, model any, fingerprint string) (bool, error) {
	err := tx.Where("fingerprint = ? AND state NOT IN ('candidate', 'refused')", fingerprint).Take(model).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return false, nil
	}
	return err == nil, err
}
