package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
)

func (r botRow) brakes() bot.Brakes {
	return bot.Brakes{Approval: r.Approval, PausedAt: r.PausedAt, PausedBy: r.PausedBy, PauseReason: r.PauseReason}
}

// Brakes is what holds posts back.
func (s *Bot) Brakes(ctx context.Context) (bot.Brakes, error) {
	row, err := readOne[botRow](s.db.on(ctx).Where("id = ?", theBot))
	return row.brakes(), err
}

// SetBrakes changes what holds posts back, and says how it was and is. Arming a post locks the
// same row: once this has answered, nothing is sent that it holds back. Let go, the posts that
// waited are due again; their runs have yet to be told. Safe to repeat.
func (s *Bot) SetBrakes(ctx context.Context, c bot.BrakeChange, by string, at time.Time) (was, is bot.Brakes, err error) {
	err = s.db.inTx(ctx, func(tx *gorm.DB) error {
		row, err := lockBot(tx)
		if err != nil {
			return err
		}
		was = row.brakes()
		is = was.After(c, by, stamp(at))
		if was.Paused() && !is.Paused() {
			if err := wakePosts(tx, post.CodePaused); err != nil {
				return err
			}
		}
		return tx.Model(&row).Updates(map[string]any{
			"approval": is.Approval, "paused_at": is.PausedAt, "paused_by": is.PausedBy, "pause_reason": is.PauseReason,
		}).Error
	})
	return was, is, err
}

// Overdue counts the posts that go out as soon as nothing holds them back.
func (s *Posts) Overdue(ctx context.Context, now time.Time) (int, error) {
	held := []string{post.CodePaused, post.CodeNotConnected}
	return countOf[post.Post](s.db.on(ctx).
		Where("status = ? AND scheduled_at <= ?", post.StatusScheduled, stamp(now)).
		Where("waiting_until IS NULL OR waiting_until <= ? OR code IN ?", stamp(now), held))
}

// ToReview counts the posts that wait for a founder's decision.
func (s *Posts) ToReview(ctx context.Context) (int, error) {
	return countOf[post.Post](s.db.on(ctx).Where("status = ? AND review = ?", post.StatusDraft, post.ReviewAsked))
}
