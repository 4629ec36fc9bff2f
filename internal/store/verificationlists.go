package store

import (
	"context"

	"customerzero/internal/domain/verification"
)

const lastEnded = "ended_at DESC, id DESC"

// Verification finds a run.
func (s *Verifications) Verification(ctx context.Context, id string) (verification.Run, error) {
	r, err := readOne[verification.Run](s.db.on(ctx).Where("id = ?", id))
	return r, asProblem(err, "verification")
}

// Verifications lists runs, newest first, with their total.
func (s *Verifications) Verifications(ctx context.Context, limit, offset int) ([]verification.Run, int, error) {
	total, err := countOf[verification.Run](s.db.on(ctx))
	if err != nil {
		return nil, 0, err
	}
	runs, err := readAll[verification.Run](s.db.on(ctx).Order("requested_at DESC, id DESC").Limit(limit).Offset(offset))
	return runs, total, err
}

// OpenVerification is the run that somebody has under way; nil: none.
func (s *Verifications) OpenVerification(ctx context.Context, openKey string) (*verification.Run, error) {
	return readFirst[verification.Run](s.db.on(ctx).Where("open_key = ?", openKey))
}

// OpenVerifications are all that are under way, the oldest first.
func (s *Verifications) OpenVerifications(ctx context.Context) ([]verification.Run, error) {
	return readAll[verification.Run](s.db.on(ctx).Where("ended_at IS NULL").Order("requested_at, id"))
}

// LastVerifications are those of a URL that have ended, the last to end first.
func (s *Verifications) LastVerifications(ctx context.Context, url string, limit int) ([]verification.Run, error) {
	return readAll[verification.Run](s.db.on(ctx).
		Where("url = ? AND ended_at IS NOT NULL", url).Order(lastEnded).Limit(limit))
}

// VerificationDays are the days from one on that have runs, oldest first.
func (s *Verifications) VerificationDays(ctx context.Context, from string) ([]verification.Day, error) {
	return readAll[verification.Day](s.db.on(ctx).Where("day >= ?", from).Order("day"))
}
