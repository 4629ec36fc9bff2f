package browser

import (
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

var kindOf = regexp.MustCompile(`--type=([a-z-]+)`)

// helpers are a browser's processes beside the first one and those of pages, by what they are for.
func helpers(r *running) map[string][]process {
	found := map[string][]process{}
	for _, m := range family(r.main) {
		proc, err := procfs.NewProc(m.PID)
		if err != nil {
			continue
		}
		line, _ := proc.CmdLine() // some rewrite it: it is one word
		if kind := kindOf.FindStringSubmatch(strings.Join(line, " ")); kind != nil && kind[1] != "renderer" {
			found[kind[1]] = append(found[kind[1]], m.process)
		}
	}
	return found
}

// A browser that loses one of its helpers may live on and show nothing any more. The look under way
// may end with it, and the next one is well.
// Proves: F22
func TestABrowserThatLosesAHelperIsWellAgain(t *testing.T) {
	t.Parallel()
	origin := serve(t, pages{"/well": html(well)})
	b := open(t, Options{}, origin)
	works(t, b, origin)
	kinds := helpers(current(b))
	require.Contains(t, kinds, "zygote")
	for kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			for _, p := range helpers(current(b))[kind] {
				require.NoError(t, syscall.Kill(p.PID, syscall.SIGKILL))
			}
			look := wide(origin + "/well")
			if kind != "zygote" {
				look.Within = 20 * time.Second // it may hang
			}
			_, err := b.Look(t.Context(), look)
			if kind == "zygote" { // the others, Chromium starts again by itself
				require.NotEqual(t, problem.PageSlow, problem.CodeOf(err), "the page is not to blame")
			}
			works(t, b, origin)
		})
	}
}
