package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/post"
)

// RestorePost undoes a person's cancellation: what had a slot and a credit has others, and
// lacks only a run. gated says that it is asked for by somebody whose posts need an approval.
func (s *Posts) RestorePost(ctx context.Context, id string, gated bool, now time.Time) (post.Post, error) {
	return s.change(ctx, id, func(tx *gorm.DB, p *post.Post) error {
		if err := p.MayRestore(now); err != nil {
			return err
		}
		key, stood := post.TextKey(p.Text), p.Review
		p.OpenKey, p.CancelledAt, p.RunID = &key, nil, ""
		p.Version++
		if p.Restore(gated) {
			return hold(tx, p, now)
		}
		return s.tellAsked(tx, *p, stood, now)
	})
}
