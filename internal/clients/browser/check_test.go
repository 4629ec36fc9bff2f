package browser

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

func TestCheckSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	driverOnly := t.TempDir()
	modules, err := filepath.Abs(modules)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(filepath.Join(modules, "package"), filepath.Join(driverOnly, "package")))
	fake := filepath.Join(empty, "chromium")
	require.NoError(t, os.WriteFile(fake, []byte("#!/bin/sh\nexit 1\n"), 0o700))
	cases := map[string]struct {
		o    Options
		says string
	}{
		"no Chromium":                    {Options{Chromium: "/nowhere/chromium"}, "Chromium is missing: run make tools, or set CHROMIUM to where it is."},
		"a Chromium that does not start": {Options{Chromium: fake}, "Chromium does not start: try it by hand, or set CHROMIUM to another one."},
		"a directory for Chromium":       {Options{Chromium: empty}, "Chromium is missing: run make tools, or set CHROMIUM to where it is."},
		"no driver":                      {Options{Dir: empty}, "The browser's driver is missing: run make build, or set BROWSER_DIR."},
		"no axe":                         {Options{Dir: driverOnly}, "The accessibility checker axe is missing: run make build, or set BROWSER_DIR."},
		"no Node":                        {Options{Node: "/nowhere/node"}, "Node is missing, which runs the browser's driver: install Node 20 or newer, or set BROWSER_NODE."},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, tt.o)
			_, err := b.Check(t.Context())
			require.EqualError(t, err, tt.says)
			require.Equal(t, problem.BrowserMissing, problem.CodeOf(err))
			_, err = b.Look(t.Context(), wide("http://127.0.0.1:1234/"))
			if errors.Is(err, errStart) { // it was tried, and is once more
				_, err = b.Look(t.Context(), wide("http://127.0.0.1:1234/"))
			}
			require.Equal(t, problem.BrowserMissing, problem.CodeOf(err))
		})
	}
}

func TestWhatAppearsIsFound(t *testing.T) {
	t.Parallel()
	origin := serve(t, pages{"/well": html(well)})
	dir := t.TempDir()
	modules, err := filepath.Abs(modules)
	require.NoError(t, err)
	b := open(t, Options{Dir: dir, Chromium: filepath.Join(dir, "chromium")}, origin)
	for _, part := range []string{"package", "axe-core"} {
		_, err := b.Check(t.Context())
		require.Equal(t, problem.BrowserMissing, problem.CodeOf(err))
		require.NoError(t, os.Symlink(filepath.Join(modules, part), filepath.Join(dir, part)))
	}
	_, err = b.Look(t.Context(), wide(origin+"/well"))
	require.EqualError(t, err, "Chromium is missing: run make tools, or set CHROMIUM to where it is.")
	real := present(chromiums...)
	script := "#!/bin/sh\nexec " + real + ` "$@"` + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "chromium"), []byte(script), 0o700))
	version, err := b.Check(t.Context())
	require.NoError(t, err)
	require.Contains(t, version, "Chromium ")
	works(t, b, origin)
}

// Starting is dear: what failed twice is not tried again at once, and not for ever given up. Once
// may be somebody who killed it.
func TestAStartThatFailedIsTriedAgainLater(t *testing.T) {
	t.Parallel()
	origin := serve(t, pages{"/well": html(well)})
	chromium := filepath.Join(t.TempDir(), "chromium")
	tries := filepath.Join(t.TempDir(), "tries")
	require.NoError(t, os.WriteFile(chromium, []byte("#!/bin/sh\necho x >> "+tries+"\nexit 1\n"), 0o700))
	b := open(t, Options{Chromium: chromium}, origin)
	_, first := b.Look(t.Context(), wide(origin+"/well"))
	require.ErrorIs(t, first, errStart)
	require.Equal(t, problem.Internal, problem.CodeOf(first), "the caller may try again")
	for range 2 {
		_, err := b.Look(t.Context(), wide(origin+"/well"))
		require.EqualError(t, err, "Chromium is there but does not start: the worker's log says why.")
		_, err = b.Check(t.Context())
		require.EqualError(t, err, "Chromium is there but does not start: the worker's log says why.")
	}
	tried, err := os.ReadFile(tries)
	require.NoError(t, err)
	require.Equal(t, "x\nx\n", string(tried))

	require.NoError(t, os.WriteFile(chromium, []byte("#!/bin/sh\nexec "+present(chromiums...)+` "$@"`+"\n"), 0o700))
	b.mu.Lock()
	b.failed.at = b.failed.at.Add(-again)
	b.mu.Unlock()
	works(t, b, origin)
}
