package cli_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../../.."

// documents returns the text of each Markdown document, by its path below root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"} {
		texts[name] = contents(t, root, name)
	}
	require.NoError(t, fs.WalkDir(os.DirFS(root), "docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			texts[path] = contents(t, root, path)
		}
		return err
	}))
	require.Greater(t, len(texts), 30)
	return texts
}

var (
	shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```")
	codeSpan   = regexp.MustCompile("`([^`\n]+)`")
	mdLink     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInSlug  = regexp.MustCompile(`[^\pL\pN _-]`)
	testName   = regexp.MustCompile(`\bTest[A-Z]\w+`)
	makeTarget = regexp.MustCompile(`(?m)^([a-z0-9-]+):`)
)

// commands returns the shell commands of a document: each line of its sh blocks, and each code span.
func commands(text string) (found []string) {
	var lines []string
	for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
		lines = append(lines, strings.Split(block[1], "\n")...)
	}
	for _, span := range codeSpan.FindAllStringSubmatch(text, -1) {
		lines = append(lines, span[1])
	}
	for _, line := range lines {
		line, _, _ = strings.Cut(line, " #")
		for part := range strings.SplitSeq(line, " && ") {
			found = append(found, strings.TrimSpace(part))
		}
	}
	return found
}

// TestDocumentsNameExistingCommands checks every command of every document: make targets and steps of make proof, subcommands
// and flags of the program, scripts.
func TestDocumentsNameExistingCommands(t *testing.T) {
	var targets []string
	for _, m := range makeTarget.FindAllStringSubmatch(contents(t, root, "Makefile"), -1) {
		targets = append(targets, m[1])
	}
	proof := contents(t, root, "scripts/proof")
	checked := 0
	for path, text := range documents(t) {
		for _, command := range commands(text) {
			words := strings.Fields(command)
			if len(words) == 0 {
				continue
			}
			program, args := words[0], words[1:]
			switch {
			case program == "make":
				for _, arg := range args {
					name, value, assigned := strings.Cut(arg, "=")
					switch {
					case name == "STEPS" && value != "…":
						require.Regexp(t, `(?m)^(step|beside) `+value+` `, proof, "%s: %s", path, command)
					case !assigned:
						require.Contains(t, targets, arg, "%s: %s", path, command)
					}
				}
			case strings.HasPrefix(program, "scripts/"):
				require.FileExists(t, filepath.Join(root, program), "%s: %s", path, command)
			case (program == "customerzero" || program == "bin/customerzero") && len(args) > 0:
				name := []string{args[0]}
				if args[0] == "keys" && len(args) > 1 {
					name = args[:2]
				}
				code, help, errs := run(t, append(slices.Clone(name), "--help")...)
				require.Zero(t, code, "%s: %s: %s", path, command, errs)
				require.Contains(t, help, "customerzero "+strings.Join(name, " "), "%s: %s", path, command)
				for _, arg := range args {
					if flag, _, _ := strings.Cut(arg, "="); strings.HasPrefix(flag, "--") {
						require.Contains(t, help, flag, "%s: %s", path, command)
					}
				}
			default:
				continue
			}
			checked++
		}
	}
	require.Greater(t, checked, 80)
}

// TestCommandsOfTheReadmeRun runs the README's commands against a fresh installation, in their order.
func TestCommandsOfTheReadmeRun(t *testing.T) {
	up := startUp(t, t.TempDir())
	ran := 0
	for _, command := range commands(contents(t, root, "README.md")) {
		if rest, ok := strings.CutPrefix(command, "bin/customerzero "); ok {
			cmd := exec.Command("sh", "-c", os.Args[0]+" "+rest)
			cmd.Dir = root
			cmd.Env = append(os.Environ(), "DATA_DIR="+up.dir, "BROWSER_DIR=bin/browser")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s: %s", command, out)
			ran++
		}
	}
	require.Equal(t, 3, ran)
}

// TestLinksOfDocumentsExist checks that the file and the heading of every relative link exist.
func TestLinksOfDocumentsExist(t *testing.T) {
	t.Parallel()
	texts := documents(t)
	for path, text := range texts {
		for _, m := range mdLink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], ":") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			_, err := os.Stat(filepath.Join(root, target))
			require.NoError(t, err, "%s links to %s", path, m[1])
			if anchor != "" {
				require.Contains(t, slugs(texts[target]), anchor, "%s links to %s", path, m[1])
			}
		}
	}
}

// slugs returns the anchors that GitHub gives to the headings of a document.
func slugs(text string) (found []string) {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		slug := notInSlug.ReplaceAllString(strings.ToLower(strings.ReplaceAll(m[1], "`", "")), "")
		found = append(found, strings.ReplaceAll(slug, " ", "-"))
	}
	return found
}

// TestGuaranteesNameExistingTests checks the packages and tests that verify each guarantee, and the tests that make
// targets and scripts run by name.
func TestGuaranteesNameExistingTests(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"Makefile", "scripts/proof", "scripts/fuzz"} {
		for _, name := range testName.FindAllString(contents(t, root, file), -1) {
			require.True(t, hasTest(t, name), "%s: %s", file, name)
		}
	}
	checked := 0
	for _, span := range codeSpan.FindAllStringSubmatch(contents(t, root, "docs/guarantees.md"), -1) {
		switch name := span[1]; {
		case strings.HasPrefix(name, "Test"):
			require.True(t, hasTest(t, name), name)
		case !strings.ContainsAny(name, " +") && name != "make":
			require.DirExists(t, filepath.Join(root, name))
		default:
			continue
		}
		checked++
	}
	require.Greater(t, checked, 20)
}

// hasTest reports whether a Go test of that name exists in the repository.
func hasTest(t *testing.T, name string) (found bool) {
	t.Helper()
	for _, dir := range []string{"api", "internal", "proof", "workflows"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, dir), func(path string, _ fs.DirEntry, err error) error {
			if strings.HasSuffix(path, "_test.go") && strings.Contains(contents(t, path), "func "+name+"(") {
				found = true
			}
			return err
		}))
	}
	return found
}
