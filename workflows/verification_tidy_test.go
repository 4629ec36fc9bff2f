package workflows_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/verification"
	"customerzero/workflows"
)

func TestTidyingKeepsThePicturesThatRowsName(t *testing.T) {
	t.Parallel()
	i := newInspection(t)
	i.request(t)
	i.env.ExecuteWorkflow(workflows.VerificationTidy)
	require.NoError(t, i.env.GetWorkflowError())
	require.NotNil(t, i.pictures.kept)
	require.Empty(t, i.pictures.kept)

	other := newInspection(t)
	other.request(t)
	require.NoError(t, other.db.Verifications.SaveShot(t.Context(), verification.Shot{
		RunID: other.asking, Theme: verification.Light, Viewport: "wide", Picture: strings.Repeat("a", 64), TakenAt: begin,
	}))
	other.env.ExecuteWorkflow(workflows.VerificationTidy)
	require.NoError(t, other.env.GetWorkflowError())
	require.Equal(t, map[string]bool{strings.Repeat("a", 64): true}, other.pictures.kept)
}

func TestTidyingThatCannotBeDoneIsGivenUp(t *testing.T) {
	t.Parallel()
	i := newInspection(t)
	i.pictures.full = errors.New("read-only file system")
	i.env.ExecuteWorkflow(workflows.VerificationTidy)
	require.Error(t, i.env.GetWorkflowError())
}
