package activities_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"customerzero/activities"
	"customerzero/internal/domain/target"
)

func TestCellIsBrokenOnlyWhenItIsWell(t *testing.T) {
	t.Parallel()
	sick := target.Failed(target.CheckHome)
	for name, tt := range map[string]struct {
		failing func(n int) target.Failing
		probes  int
		unfit   string
	}{
		"it is well":             {func(int) target.Failing { return 0 }, 3, ""},
		"it is back in a moment": {func(n int) target.Failing { return map[int]target.Failing{2: sick, 3: sick}[n] }, 6, ""},
		"it stays sick": {
			func(int) target.Failing { return sick }, 13, "The cell was not well before the start. These failed their checks: the page /.",
		},
		"it comes and goes": {
			func(n int) target.Failing { return map[int]target.Failing{0: sick}[n%2] }, 14,
			"The cell was not well before the start. These failed their checks: the page /.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := &bench{failing: tt.failing}
				var suite testsuite.WorkflowTestSuite
				env := suite.NewTestActivityEnvironment()
				acts := &activities.Chaos{Store: b, Cell: b, Now: time.Now}
				env.RegisterActivity(acts)
				value, err := env.ExecuteActivity(acts.CheckCell, activities.ChaosRef{ChaosID: "c"})
				require.NoError(t, err)
				var result activities.CheckCellResult
				require.NoError(t, value.Get(&result))
				require.Equal(t, tt.unfit, result.Unfit)
				require.Len(t, stored(t, b), tt.probes, "every probe is kept")
			})
		})
	}
}
