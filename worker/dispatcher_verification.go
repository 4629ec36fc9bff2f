package worker

import (
	"context"
	"log/slog"
	"time"

	"customerzero/internal/domain/verification"
)

// VerificationRows are the verifications that have not ended. *store.Verifications implements it.
type VerificationRows interface {
	OpenVerifications(ctx context.Context) ([]verification.Run, error) // the oldest first
}

// VerificationFlows starts what carries them. *workflows.Client implements it.
type VerificationFlows interface {
	// Verify is safe to repeat: a flow that is under way stays.
	Verify(ctx context.Context, verificationID string) (runID string, err error)
}

// endedByThen is how long after it was asked for a run has surely ended, if somebody carries
// it: another flow ends it.
const endedByThen = 3 * time.Minute

// sweepVerifications gives a flow to every run that has none, and another one to those that
// were left behind: the next run of who asked waits for them.
func (s *Dispatcher) sweepVerifications(ctx context.Context) {
	open, err := s.Verifications.OpenVerifications(ctx)
	if err != nil {
		slog.WarnContext(ctx, "verifications that are open could not be listed", "error", err)
	}
	now := time.Now()
	for _, run := range open {
		age := now.Sub(run.RequestedAt)
		if (run.RunID != "" || age < begunByOthers) && age < endedByThen {
			continue
		}
		if _, err := s.VerificationRuns.Verify(ctx, run.ID); err != nil {
			slog.WarnContext(ctx, "a verification's flow could not be started", "verification_id", run.ID, "error", err)
			return
		}
	}
}
