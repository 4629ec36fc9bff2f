// Package verification answers for checks of our own pages: runs, screenshots and baselines.
package verification

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/verification"
)

// API answers every operation of this feature.
type API struct {
	Audits        httpapi.AuditStore
	Marks         httpapi.Marker
	Now           func() time.Time
	Pictures      PictureStore
	Runs          Runs
	Sites         []string
	Verifications Store
	VerifyEvery   time.Duration
}

// PictureStore keeps pictures by their sha256. *blob.Store implements it.
type PictureStore interface {
	Get(ctx context.Context, key string) ([]byte, error)
}

// Runs starts flows and gives them orders. *client.Client implements it.
type Runs interface {
	// AwaitVerification returns when the run has ended, or ctx has.
	AwaitVerification(ctx context.Context, verificationID, runID string) error
	StartVerification(ctx context.Context, verificationID string) (runID string, err error)
}

// Store keeps what was seen of our own pages. *store.Verifications implements it.
type Store interface {
	Agreements(ctx context.Context) ([]verification.Agreement, error)
	ApproveBaselines(ctx context.Context, approved []verification.Baseline) error
	Baselines(ctx context.Context, path string, limit, offset int) ([]verification.Baseline, int, error)
	BaselinesNamed(ctx context.Context, ids []string) ([]verification.Baseline, error)
	Browser(ctx context.Context) (verification.BrowserState, error)
	// LastVerifications are those of our own front page that have ended, newest first.
	LastVerifications(ctx context.Context, url string, limit int) ([]verification.Run, error)
	OpenVerification(ctx context.Context, openKey string) (*verification.Run, error) // nil: none
	RequestVerification(ctx context.Context, r verification.Run, visitor string) error
	Screenshots(ctx context.Context, runIDs ...string) ([]verification.Shot, error)
	Verification(ctx context.Context, id string) (verification.Run, error)
	VerificationDays(ctx context.Context, from string) ([]verification.Day, error)
	Verifications(ctx context.Context, limit, offset int) ([]verification.Run, int, error)
}
