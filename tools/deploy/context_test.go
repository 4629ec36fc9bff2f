package deploy_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rule is a line of .dockerignore.
type rule struct {
	pattern *regexp.Regexp
	include bool
}

func rules(t *testing.T) []rule {
	t.Helper()
	text := read(t, root, ".dockerignore")
	var all []rule
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, include := strings.CutPrefix(line, "!")
		quoted := strings.NewReplacer(`\*\*/`, `(.*/)?`, `\*`, `[^/]*`).Replace(regexp.QuoteMeta(name))
		all = append(all, rule{regexp.MustCompile("^" + quoted + "$"), include})
	}
	return all
}

// included reports whether Docker gets a file: the last line that matches it or one of its directories counts.
func included(rules []rule, file string) bool {
	sent := true
	for _, r := range rules {
		for part := file; part != "."; part = path.Dir(part) {
			if r.pattern.MatchString(part) {
				sent = r.include
				break
			}
		}
	}
	return sent
}

// context lists the files of the repository that Docker gets.
func context(t *testing.T) []string {
	t.Helper()
	rules := rules(t)
	var files []string
	require.NoError(t, filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file, _ := filepath.Rel(root, name)
		file = filepath.ToSlash(file)
		switch {
		case entry.IsDir() && slices.Contains([]string{".git", "node_modules", "data"}, entry.Name()):
			require.False(t, included(rules, file+"/x"), file)
			return fs.SkipDir
		case !entry.IsDir() && included(rules, file):
			files = append(files, file)
		}
		return nil
	}))
	return files
}

// Proves: V13.3.1
func TestImagesAreBuiltFromSourcesAlone(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		".env", "deploy/secrets/database_url", "data/secret-keys", "bin/customerzero", ".git/config", "ui/node_modules/x/index.js",
		"ui/dist/index.html", "internal/platform/temporal/temporald/main.go", "internal/store/store_test.go", "workflows/testdata/histories/post.json", "id_rsa",
	} {
		require.False(t, included(rules(t), file), "Docker gets %s", file)
	}
	for _, file := range context(t) {
		require.NotRegexp(t, `\.(db|pem|key|log)$|secret-keys|admin-key|_test\.go$`, file)
	}
}

// TestTheProgramBuildsFromWhatDockerIsSent lets Go list every package and every embedded file; compiling them would
// find no other errors.
func TestTheProgramBuildsFromWhatDockerIsSent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, file := range append(context(t), "ui/dist/.gitkeep") { // the pages stage adds it
		put(t, filepath.Join(dir, file), read(t, root, file))
	}
	list := exec.Command("go", "list", "-deps", "-tags", "nomsgpack,testify_yaml_fail", ".")
	list.Dir, list.Env = dir, append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	output, err := list.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Contains(t, string(output), "customerzero/internal/platform/cli\n")
	require.NotContains(t, string(output), "go.temporal.io/server\n")
}
