package cluster

import (
	"context"
	"time"
)

// Wait lets time pass, and says whether there is more to come.
func Wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Until asks again and again, and says whether it came true in time.
func Until(ctx context.Context, patience time.Duration, came func() bool) bool {
	return Often(ctx, patience, 50*time.Millisecond, came)
}

// Often is Until for who must not miss a moment.
func Often(ctx context.Context, patience, pause time.Duration, came func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for !came() {
		if !Wait(ctx, pause) {
			return came()
		}
	}
	return true
}
