package security

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/proof/evidence"
)

const root = "../.."

var update = flag.Bool("update", false, "rewrite docs/security.md")

func TestEveryLineIsWholeAndProven(t *testing.T) {
	t.Parallel()
	numbers, all := map[string]bool{}, []evidence.Proof(nil)
	for _, topic := range Topics() {
		for _, line := range topic.Lines {
			require.False(t, numbers[line.Number], "two lines are called %s", line.Number)
			numbers[line.Number] = true
			require.NotEmpty(t, line.Asks, line.Number)
			require.NotEmpty(t, line.Does, line.Number)
			require.NotEmpty(t, line.Proofs, "%s is held by nothing", line.Number)
			all = append(all, line.Proofs...)
			named := map[evidence.Proof]bool{}
			for _, p := range line.Proofs {
				require.False(t, named[p], "%s names %s twice", line.Number, p)
				named[p] = true
			}
			require.NotContains(t, line.Asks+line.Does+line.Differs, "|", "%s would break its table", line.Number)
		}
	}
	require.NoError(t, evidence.Check(root, all...))
}

// A line that the standard numbers is held by a test that has the number in its name, or by
// older ones; a test with a number has a line.
func TestEveryNumberedTestHasItsLine(t *testing.T) {
	t.Parallel()
	text := Document()
	for _, folder := range []string{"api", "deploy", "internal/domain/account", "proof/security", "internal/platform/cli"} {
		files, err := os.ReadDir(root + "/" + folder)
		require.NoError(t, err)
		for _, file := range files {
			if !strings.HasSuffix(file.Name(), "_test.go") {
				continue
			}
			source, err := os.ReadFile(root + "/" + folder + "/" + file.Name())
			require.NoError(t, err)
			for _, test := range numbered.FindAllStringSubmatch(string(source), -1) {
				require.Contains(t, text, test[1], "%s/%s: name it in the list", folder, file.Name())
			}
		}
	}
}

func TestTheDocumentIsPrintedFromTheList(t *testing.T) {
	t.Parallel()
	const path = root + "/docs/security.md"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(Document()), 0o600))
	}
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, Document(), string(kept), "run go test ./proof/security -update, and review the diff")
}
