package browser

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"customerzero/internal/domain/problem"
)

// Where Debian puts it. The shell is half as big and twice as fast. What is in /usr/bin are
// scripts: killing one would leave the browser running.
var chromiums = []string{"/usr/lib/chromium/chromium-headless-shell", "/usr/lib/chromium/chromium"}

// parts is what a browser is made of: absolute paths.
type parts struct{ node, driver, axe, chromium string }

// find looks for all parts. It is cheap enough for every look, so what is put in place later
// is found.
func (o Options) find() (p parts, err error) {
	if p.node, err = exec.LookPath(cmp.Or(o.Node, "node")); err != nil {
		return p, missing("Node is missing, which runs the browser's driver: install Node 20 or newer, or set BROWSER_NODE.")
	}
	if p.driver = present(filepath.Join(o.Dir, "package", "cli.js")); p.driver == "" {
		return p, missing("The browser's driver is missing: run make build, or set BROWSER_DIR.")
	}
	if p.axe = present(filepath.Join(o.Dir, "axe.min.js"), filepath.Join(o.Dir, "axe-core", "axe.min.js")); p.axe == "" {
		return p, missing("The accessibility checker axe is missing: run make build, or set BROWSER_DIR.")
	}
	places := chromiums
	if o.Chromium != "" {
		places = []string{o.Chromium}
	}
	if p.chromium = present(places...); p.chromium == "" {
		return p, missing("Chromium is missing: run make tools, or set CHROMIUM to where it is.")
	}
	p.node, err = filepath.Abs(p.node)
	return p, err
}

func missing(sentence string) error { return problem.New(problem.BrowserMissing, "%s", sentence) }

// present is the first of the files that is there; empty when none is.
func present(files ...string) string {
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if path, err := filepath.Abs(f); err == nil {
			return path
		}
	}
	return ""
}

// versionOf remembers the version of a file, until the file changes.
type versionOf struct {
	path    string
	changed time.Time
	version string
}

// Check says whether there is all that is needed to start, without starting it: its version, or
// a problem BrowserMissing that says what to do.
func (b *Browser) Check(ctx context.Context) (version string, err error) {
	p, err := b.o.find()
	if err != nil {
		return "", err
	}
	if err := b.lastFailure(); err != nil {
		return "", err
	}
	info, err := os.Stat(p.chromium)
	if err != nil {
		return "", missing("Chromium is missing: run make tools, or set CHROMIUM to where it is.")
	}
	b.mu.Lock()
	known := b.version
	b.mu.Unlock()
	if known.path == p.chromium && known.changed.Equal(info.ModTime()) {
		return known.version, nil
	}
	known = versionOf{path: p.chromium, changed: info.ModTime()}
	if known.version, err = askVersion(ctx, p.chromium); err != nil {
		return "", err
	}
	b.mu.Lock()
	b.version = known
	b.mu.Unlock()
	return known.version, nil
}

var version = regexp.MustCompile(`\d+(\.\d+){2,3}`)

// askVersion runs the browser only as far as to say its version: some 30 ms.
func askVersion(ctx context.Context, chromium string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	ask := exec.CommandContext(ctx, chromium, "--version")
	ask.Env = []string{"PATH=/usr/bin:/bin"}
	said, err := ask.Output()
	if ctx.Err() != nil {
		return "", fmt.Errorf("asking Chromium for its version: %w", context.Cause(ctx))
	}
	if number := version.Find(said); err == nil && number != nil {
		return "Chromium " + string(number), nil
	}
	return "", missing("Chromium does not start: try it by hand, or set CHROMIUM to another one.")
}
