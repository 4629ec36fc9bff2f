package upgrade_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	root = "../.."
	// flow is the file that new builds change, and where.
	flow  = "workflows/post.go"
	begin = "	flow := &postFlow{in: in, turn: workflow.NewMutex(ctx)}\n"
	// unguarded breaks runs that are under way; guarded lets them go on as they began.
	unguarded = "	if err := workflow.Sleep(ctx, time.Second); err != nil {\n		return PostResult{}, err\n	}\n"
	guarded   = "	if workflow.GetVersion(ctx, \"pause\", workflow.DefaultVersion, 1) == 1 {\n	" + unguarded + "	}\n"
)

// compile builds the product, with more at the beginning of a post's flow. An overlay replaces the
// source file, which stays as it is. CRASH_PRODUCT names the product if it is built already.
func compile(ctx context.Context, t *testing.T, dir, more string) (program string) {
	t.Helper()
	if built := os.Getenv("CRASH_PRODUCT"); built != "" && more == "" {
		return built
	}
	program = filepath.Join(dir, "customerzero")
	args := []string{"build", "-tags", "nomsgpack,testify_yaml_fail", "-trimpath", "-ldflags", "-s -w", "-o", program}
	if more != "" {
		args = append(args, "-overlay", overlay(t, dir, more))
	}
	command := exec.CommandContext(ctx, "go", append(args, ".")...)
	command.Dir, command.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	said, err := command.CombinedOutput()
	require.NoError(t, err, string(said))
	return program
}

func overlay(t *testing.T, dir, more string) (file string) {
	t.Helper()
	original, err := filepath.Abs(filepath.Join(root, flow))
	require.NoError(t, err)
	text, err := os.ReadFile(original)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), begin), "%s begins in another way", flow)
	changed := filepath.Join(dir, "post.go")
	require.NoError(t, os.WriteFile(changed, []byte(strings.Replace(string(text), begin, more+begin, 1)), 0o600))
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	require.NoError(t, err)
	file = filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, replaced, 0o600))
	return file
}
