package httpapi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

func TestEveryProblemHasAStatus(t *testing.T) {
	t.Parallel()

	for _, code := range problem.Codes {
		require.Contains(t, statuses, code)
	}
	require.Len(t, statuses, len(problem.Codes))
}
