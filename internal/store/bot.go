package store

import (
	"context"
	"strings"
	"time"

	"github.com/rs/xid"
	"gorm.io/gorm"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// Bot stores the bot's connection, the app's keys and the posting controls.
type Bot struct{ db *DB }

// botRow is the single row of posting settings. It keeps the last connection even after its removal:
// while posts have an unknown outcome, the next one must be of the same account.
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

// lockBot serializes arming a post with changes to the connection, keys and controls.
func lockBot(tx *gorm.DB) (botRow, error) {
	return readOne[botRow](tx.Clauses(forUpdate).Where("id = ?", theBot))
}

func (r botRow) controls() bot.PostingControls {
	return bot.PostingControls{Approval: r.ApprovalRequired, PausedAt: r.PausedAt, PausedBy: r.PausedBy, PauseReason: r.PauseReason}
}

// Controls returns the posting controls.
func (s *Bot) Controls(ctx context.Context) (bot.PostingControls, error) {
	row, err := readOne[botRow](s.db.on(ctx).Where("id = ?", theBot))
	return row.controls(), err
}

// SetControls changes the posting controls and returns them before and after. Arming a post locks the
// same row, so nothing that the controls hold back is sent once this has returned. On resume the waiting
// posts become due again, and their runs still have to be signaled. Safe to repeat.
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

// Connection returns the current connection, or nil.
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

// OpenConnections lists the connections from before a time that are still being tested.
func (s *Bot) OpenConnections(ctx context.Context, before time.Time) ([]bot.Connection, error) {
	return readAll[bot.Connection](s.db.on(ctx).Where("state = ? AND created_at <= ?", bot.Candidate, stamp(before)).Order("created_at, id"))
}

// ConnectionByID returns a connection.
func (s *Bot) ConnectionByID(ctx context.Context, id string) (bot.Connection, error) {
	return byID[bot.Connection](s.db.on(ctx), "connection", id)
}

// ConnectionTokens returns and decrypts a connection's tokens.
func (s *Bot) ConnectionTokens(ctx context.Context, id string) (bot.Connection, bot.Tokens, error) {
	var tokens bot.Tokens
	row, err := s.ConnectionByID(ctx, id)
	if err == nil {
		err = s.db.readSecret(s.db.on(ctx), row.SecretID, &tokens)
	}
	return row, tokens, err
}

// ProposeConnection stores tokens, encrypted, until X has verified them.
func (s *Bot) ProposeConnection(ctx context.Context, tokens bot.Tokens, accountID *string, at time.Time) (bot.Connection, error) {
	row := newConnection(tokens, accountID, at)
	err := s.db.inTx(ctx, func(tx *gorm.DB) error { return s.db.createWithSecret(tx, &row, &row.SecretID, tokens) })
	return row, err
}

func newConnection(tokens bot.Tokens, accountID *string, at time.Time) bot.Connection {
	return bot.Connection{
		ID: xid.New().String(), State: bot.Candidate, AccountID: accountID, CreatedAt: stamp(at),
		Fingerprint: bot.Fingerprint(tokens.AccessToken, tokens.AccessSecret),
	}
}

// Connect makes a candidate the current connection. While posts have an unknown outcome it must be of
// the account that may have sent them: another account's timeline would suggest that they were never
// published.
func (s *Bot) Connect(ctx context.Context, id, userID, username, runID string, at time.Time) (bot.Connection, error) {
	return changeWithBot(ctx, s.db, "connection", id, func(tx *gorm.DB, c *bot.Connection) error {
		if c.State != bot.Candidate {
			return nil
		}
		c.UserID, c.Username, c.RunID = userID, username, runID
		last, err := s.lastConnection(tx)
		if err != nil {
			return err
		}
		return s.replaceConnection(tx, last, c, at)
	})
}

// replaceConnection makes a stored candidate the current connection, in place of the last one, if any.
// The caller saves it.
func (s *Bot) replaceConnection(tx *gorm.DB, last, next *bot.Connection, at time.Time) error {
	if last != nil {
		if err := sameAccount(tx, *last, *next); err != nil {
			return err
		}
		if err := retire(tx, last, at); err != nil {
			return err
		}
	}
	next.State = bot.Current
	if err := wakePosts(tx, post.CodeNotConnected); err != nil {
		return err
	}
	return tx.Model(&botRow{ID: theBot}).Update("connection_id", next.ID).Error
}

// wakePosts releases the posts that wait for the reason in code.
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
	// An unknown post that is no longer open can't be resolved by any account.
	unresolved, err := countOf[post.Post](tx.Where("status IN ? AND open_key IS NOT NULL", []post.Status{post.StatusArmed, post.StatusUnknown}))
	if err != nil || unresolved == 0 {
		return err
	}
	return problem.New(problem.Conflict,
		"These tokens belong to a different X account, and %d posts still have an unknown outcome. Resolve them first; only the old account's timeline can confirm them.", unresolved)
}

// retire ends the current connection and deletes its tokens.
func retire(tx *gorm.DB, c *bot.Connection, at time.Time) error {
	if c.State != bot.Current {
		return nil
	}
	return endConnection(tx, c, bot.Removed, "", "", at)
}

func endConnection(tx *gorm.DB, c *bot.Connection, state bot.State, code, reason string, at time.Time) error {
	secretID, ended := c.SecretID, stamp(at)
	c.State, c.Code, c.Reason, c.SecretID, c.EndedAt = state, code, reason, nil, &ended
	return saveWithoutSecret(tx, c, secretID)
}

// RefuseConnection ends a candidate that X rejected.
func (s *Bot) RefuseConnection(ctx context.Context, id, code, reason, runID string, at time.Time) (bot.Connection, error) {
	return changeWithBot(ctx, s.db, "connection", id, func(tx *gorm.DB, c *bot.Connection) error {
		if c.State != bot.Candidate {
			return nil
		}
		c.RunID = runID
		return endConnection(tx, c, bot.Refused, code, reason, at)
	})
}

// Disconnect deletes the bot's tokens and returns the posts that now wait.
func (s *Bot) Disconnect(ctx context.Context, at time.Time) ([]post.Post, error) {
	return resultOf(ctx, s.db, func(tx *gorm.DB) ([]post.Post, error) {
		if _, err := lockBot(tx); err != nil {
			return nil, err
		}
		last, err := s.lastConnection(tx)
		if err == nil && last != nil {
			err = retire(tx, last, at)
		}
		if err != nil {
			return nil, err
		}
		return readAll[post.Post](tx.Where("status = ?", post.StatusScheduled).Order(string(nextFirst)))
	})
}

// changeWithBot changes a row of keys or connections. It locks the bot's row first.
func changeWithBot[T any](ctx context.Context, s *DB, what, id string, alter func(*gorm.DB, *T) error) (row T, err error) {
	err = s.inTx(ctx, func(tx *gorm.DB) (err error) {
		if _, err = lockBot(tx); err != nil {
			return err
		}
		if row, err = byID[T](tx, what, id); err != nil {
			return err
		}
		if err := alter(tx, &row); err != nil {
			return err
		}
		return save(tx, &row)
	})
	return row, err
}

// SeedConnection stores the configuration's tokens, unless they were used before or a founder has
// connected others. Like Connect, it refuses another account's while posts have an unknown outcome.
func (s *Bot) SeedConnection(ctx context.Context, tokens bot.Tokens, username string, at time.Time) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		row := newConnection(tokens, nil, at)
		row.Username = username
		if _, err := lockBot(tx); err != nil {
			return err
		}
		seen, err := everUsed[bot.Connection](tx, row.Fingerprint)
		if err != nil || seen {
			return err
		}
		last, err := s.lastConnection(tx)
		if err != nil || last != nil && last.AccountID != nil {
			return err
		}
		if err := s.db.createWithSecret(tx, &row, &row.SecretID, tokens); err != nil {
			return err
		}
		if err := s.replaceConnection(tx, last, &row, at); err != nil {
			return err
		}
		return save(tx, &row)
	})
}

// everUsed reports whether the secrets were ever in use. Candidates and refused ones do not count: X may
// have been unavailable when they were tried.
func everUsed[T any](tx *gorm.DB, fingerprint string) (bool, error) {
	n, err := countOf[T](tx.Where("fingerprint = ? AND state NOT IN ('candidate', 'refused')", fingerprint))
	return n > 0, err
}
