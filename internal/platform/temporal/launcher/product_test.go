package launcher

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The server's libraries would triple the product's binary and its build, and would dictate
// the versions of its dependencies.
func TestProductNeverLinksTheServer(t *testing.T) {
	t.Parallel()
	list := exec.CommandContext(t.Context(), "go", "list", "-e", "-deps", "./...")
	list.Dir = "../../../.."
	out, err := list.Output()
	require.NoError(t, err)
	packages := strings.Fields(string(out))
	require.Contains(t, packages, "customerzero/internal/platform/temporal/launcher")
	for _, name := range packages {
		require.False(t, strings.HasPrefix(name, "go.temporal.io/server"), "%s is linked", name)
		require.False(t, strings.HasPrefix(name, "github.com/temporalio/ui-server"), "%s is linked", name)
	}
}
