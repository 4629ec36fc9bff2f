package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
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
