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
	takes   bool
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
		name, takes := strings.CutPrefix(line, "!")
		quoted := strings.NewReplacer(`\*\*/`, `(.*/)?`, `\*`, `[^/]*`).Replace(regexp.QuoteMeta(name))
		all = append(all, rule{regexp.MustCompile("^" + quoted + "$"), takes})
	}
	return all
}

// taken says whether Docker sends a file: the last line that speaks of it, or of where it lies, counts.
func taken(rules []rule, file string) bool {
	sent := true
	for _, r := range rules {
		for part := file; part != "."; part = path.Dir(part) {
			if r.pattern.MatchString(part) {
				sent = r.takes
				break
			}
		}
	}
	return sent
}

// context lists what Docker is sent of this directory.
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
			require.False(t, taken(rules, file+"/x"), file)
			return fs.SkipDir
		case !entry.IsDir() && taken(rules, file):
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
		require.False(t, taken(rules(t), file), "%s is sent to Docker", file)
	}
	for _, file := range context(t) {
		require.NotRegexp(t, `\.(db|pem|key|log)$|secret-keys|admin-key|_test\.go$`, file)
	}
}

// TestTheProgramBuildsFromWhatDockerIsSent lets Go look for every package and every embedded file;
// compiling them once more would find nothing else.
func TestTheProgramBuildsFromWhatDockerIsSent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, file := range append(context(t), "ui/dist/.gitkeep") { // what the stage of the pages adds
		put(t, filepath.Join(dir, file), read(t, root, file))
	}
	list := exec.Command("go", "list", "-deps", "-tags", "nomsgpack,testify_yaml_fail", ".")
	list.Dir, list.Env = dir, append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	said, err := list.CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Contains(t, string(said), "customerzero/internal/platform/cli\n")
	require.NotContains(t, string(said), "go.temporal.io/server\n")
}
