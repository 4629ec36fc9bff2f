package cli_test

import "testing"

func TestPromoteIsToldWhatItChoosesFrom(t *testing.T) {
	isolated(t)
	fails(t, "set WORKER_DEPLOYMENT", "promote")
	t.Setenv("WORKER_DEPLOYMENT", "customerzero")
	t.Setenv("WORKER_BUILD", "1")
	fails(t, "start it, or correct TEMPORAL_ADDRESS", "promote")
}
