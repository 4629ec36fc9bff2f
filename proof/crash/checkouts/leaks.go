package checkouts

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"regexp"
)

// histories is what must be in what Temporal stores, so that we know that we can read it.
const histories = "CheckoutID"

// ours are files that are looked at otherwise, or may know addresses.
var ours = regexp.MustCompile(`^(customerzero|temporal)\.db`)

// leaks are places where a buyer's address is, and must not be.
type leaks struct {
	domain []byte // of the addresses
	found  []string
}

func (l *leaks) look(name string, content []byte) {
	if at := bytes.Index(content, l.domain); at >= 0 {
		l.found = append(l.found, fmt.Sprintf("%s: …%q…", name, content[max(0, at-60):at]))
	}
}

// findLeaks looks for the buyers' addresses in everything that the product and Temporal
// wrote, but for the product's own database.
func (w *world) findLeaks(ctx context.Context) ([]string, error) {
	l, seeing := leaks{domain: []byte(w.plan.domain)}, false
	err := w.EachStored(ctx, func(name string, content []byte) {
		seeing = seeing || bytes.Contains(content, []byte(histories))
		l.look(name, content)
	})
	if err != nil {
		return nil, err
	}
	if !seeing {
		l.found = append(l.found, "the histories cannot be read, so nobody knows")
	}
	files := os.DirFS(w.Dir)
	err = fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || ours.MatchString(entry.Name()) {
			return err
		}
		content, err := fs.ReadFile(files, path)
		l.look(path, content)
		return err
	})
	return l.found, err
}
