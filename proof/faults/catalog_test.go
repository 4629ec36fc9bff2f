package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// Every scenario and every requirement has a test, every tag names one of them, and both documents are current.
func TestDocumentsAreCurrent(t *testing.T) {
	t.Parallel()
	c, err := load(root)
	require.NoError(t, err)
	faults, security, err := c.documents(root)
	require.NoError(t, err)
	stored, err := os.ReadFile(filepath.Join(root, faultsDoc))
	require.NoError(t, err)
	static, measured, _ := strings.Cut(string(stored), lastRun)
	requireSame(t, faults, static)
	require.Contains(t, measured, "every invariant held")
	stored, err = os.ReadFile(filepath.Join(root, securityDoc))
	require.NoError(t, err)
	requireSame(t, security, string(stored))
}

// requireSame shows the first line that differs: the documents are long.
func requireSame(t *testing.T, generated, stored string) {
	lines := strings.Split(stored, "\n")
	for i, line := range strings.Split(generated, "\n") {
		require.Less(t, i, len(lines), "run make gen")
		require.Equal(t, line, lines[i], "run make gen")
	}
	require.Equal(t, strings.Count(generated, "\n"), strings.Count(stored, "\n"), "run make gen")
}

const (
	sampleScenarios = "invariants:\n  - { id: I1, holds: It holds }\n" +
		"scenarios:\n  - { id: F1, fault: A fault, holds: It holds, keeps: [I1], how: Somehow }\n"
	sampleChecklist = "- topic: One\n  requirements:\n    - { id: V1.2.4, requires: Something, does: It }\n"
	sampleTest      = "package p\n\nimport \"testing\"\n\n// Proves: F1, V1.2.4\nfunc TestA(*testing.T) {}\n"
)

func TestInconsistentListsAreReported(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		old, changed string // in the sample above
		want         string
	}{
		"nothing":                           {"", "", ""},
		"a scenario without a test":         {"Proves: F1, ", "Proves: ", "F1 has no test"},
		"a requirement without a test":      {", V1.2.4", "", "V1.2.4 has no test"},
		"a tag without a scenario":          {"Proves: F1,", "Proves: F1, F2,", "p.TestA proves F2, which does not exist"},
		"a tag without a requirement":       {"V1.2.4\n", "V1.2.4, V9.9.9\n", "p.TestA proves V9.9.9, which does not exist"},
		"a tag that is given twice":         {"V1.2.4\n", "V1.2.4, F1\n", "p.TestA names F1 twice"},
		"a tag of another form":             {"Proves: F1, V1.2.4", "Proves: F1 V1.2.4", `p.TestA: "Proves: F1 V1.2.4" does not have the form`},
		"a tag of a helper":                 {"TestA(", "helper(", `"Proves: F1, V1.2.4" is not in the doc comment of a test`},
		"a tag of a method":                 {"func TestA", "type s struct{}\n\nfunc (s) TestA", `"Proves: F1, V1.2.4" is not in the doc comment of a test`},
		"two scenarios of one ID":           {"id: V1.2.4", "id: F1", "two entries have the ID F1"},
		"a scenario without a text":         {", how: Somehow", "", "F1 is incomplete"},
		"an invariant that no scenario has": {"keeps: [I1]", "keeps: [I2]", "no scenario keeps I1"},
		"an invariant that does not exist":  {"keeps: [I1]", "keeps: [I1, I2]", "no such invariants: map[I2:true]"},
		"a field that does not exist":       {"does:", "dose:", "field dose not found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for path, text := range map[string]string{
				"proof/faults/scenarios.yaml": sampleScenarios, "proof/security/checklist.yaml": sampleChecklist, "p/p_test.go": sampleTest,
			} {
				path = filepath.Join(dir, path)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				require.NoError(t, os.WriteFile(path, []byte(strings.Replace(text, tt.old, tt.changed, 1)), 0o600))
			}
			_, err := load(dir)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestTagsOfBrowserTests(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		source string
		tags   []tag
		fails  string
	}{
		"above a test":       {"  // Proves: F1, V1.2.4\n  test('votes', async () => {\n", []tag{{"F1", proof{Package: "a.e2e.ts", Test: "votes"}}, {"V1.2.4", proof{Package: "a.e2e.ts", Test: "votes"}}}, ""},
		"above others":       {"// Proves: F1\nconst a = 1\n", nil, "not directly above a test"},
		"with a seed":        {"// Proves: F1 seeded\ntest('votes')\n", nil, "a browser test runs with no seed"},
		"no tag of the test": {"// Votes are counted.\ntest('votes')\n", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "a.e2e.ts")
			require.NoError(t, os.WriteFile(file, []byte(tt.source), 0o600))
			tags, err := pageTags(file, "a.e2e.ts")
			if tt.fails != "" {
				require.ErrorContains(t, err, tt.fails)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.tags, tags)
		})
	}
}
