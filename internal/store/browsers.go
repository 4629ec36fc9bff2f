package store

import (
	"context"

	"gorm.io/gorm"

	"customerzero/internal/domain/verification"
)

// Browser is whether the browser works, as last seen.
func (s *Verifications) Browser(ctx context.Context) (verification.BrowserState, error) {
	return readOne[verification.BrowserState](s.db.on(ctx).Where("id = ?", verification.TheBrowser))
}

// NoteBrowser keeps how the browser was seen. A version that is known is not forgotten for one
// that is not.
func (s *Verifications) NoteBrowser(ctx context.Context, b verification.BrowserState) error {
	b.ID = verification.TheBrowser
	if b.SeenAt != nil {
		at := stamp(*b.SeenAt)
		b.SeenAt = &at
	}
	columns := []string{"Ready", "Message", "SeenAt"}
	if b.Version != "" {
		columns = append(columns, "Version")
	}
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return mustChange(tx.Select(columns).Updates(&b))
	})
}
