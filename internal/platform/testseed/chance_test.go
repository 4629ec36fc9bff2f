package testseed

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheSeedDecidesTheNumbers(t *testing.T) {
	t.Setenv(Setting, "7")
	require.EqualValues(t, 7, Seed(t))
	first, second := New(t).Uint64(), New(t).Uint64()
	require.Equal(t, first, second)
	require.NotEqual(t, Of(t, 7, 0).Uint64(), Of(t, 7, 1).Uint64(), "each goroutine has its own")
	require.NotEqual(t, Of(t, 7, 0).Uint64(), Of(t, 8, 0).Uint64())
	t.Run("another test has its own", func(t *testing.T) { require.NotEqual(t, first, New(t).Uint64()) })
}

func TestWithoutASeedAnyIsTaken(t *testing.T) {
	t.Setenv(Setting, "")
	first, second := Seed(t), Seed(t)
	require.NotEqual(t, first, second)
}

// The tests below run in a process of their own, because they fail.
const failing = "CHANCE_FAILS"

func TestAFailureSaysItsSeed(t *testing.T) {
	t.Parallel()
	said := runFailing(t, "7")
	require.Contains(t, said, "seed 7; again: FAULTS_SEED=7 go test -run '^TestThatFailsWhenItIsTold$'")
	require.Contains(t, runFailing(t, "a seed"), `FAULTS_SEED is no number: "a seed"`)
}

func runFailing(t *testing.T, seed string) string {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), program, "-test.run=^TestThatFailsWhenItIsTold$")
	command.Env = append(os.Environ(), Setting+"="+seed, failing+"=1")
	said, err := command.CombinedOutput()
	require.ErrorContains(t, err, "exit status 1")
	return string(said)
}

func TestThatFailsWhenItIsTold(t *testing.T) {
	if os.Getenv(failing) == "" {
		return
	}
	_ = Seed(t)
	t.Error("as it was told")
}
