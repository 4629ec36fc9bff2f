package upgrade_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
)

// buildsOf names the build that took each step of a workflow's latest run, in order.
func (s *stage) buildsOf(t *testing.T, workflowID string) (builds []string) {
	t.Helper()
	events := s.temporal.GetWorkflowHistory(t.Context(), workflowID, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		if taken := event.GetWorkflowTaskCompletedEventAttributes(); taken != nil {
			builds = append(builds, taken.GetDeploymentVersion().GetBuildId())
		}
	}
	require.NotEmpty(t, builds)
	return builds
}
