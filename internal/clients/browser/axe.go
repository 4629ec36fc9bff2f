package browser

import (
	_ "embed"
	"os"

	"customerzero/internal/domain/verification"
)

const mostTargets = 3

//go:embed axe.js
var axeScript string

// violation is one as axe tells it.
type violation struct {
	ID, Impact, Help string
	Targets          []string
	Count            int
}

// examine runs axe in the page. Where the page's own policy forbids scripts, ours still run.
func (w *world) examine(axe string) ([]verification.Violation, error) {
	source, err := os.ReadFile(axe)
	if err != nil {
		return nil, missing("The accessibility checker axe is missing: run make build, or set BROWSER_DIR.")
	}
	var said []violation
	if err := w.run(string(source)+"\n"+axeScript, &said); err != nil {
		return nil, err
	}
	found := []verification.Violation{} // nil would say that nobody looked
	for _, v := range said[:min(len(said), mostLines)] {
		targets := short(v.Targets)
		found = append(found, verification.Violation{
			Rule: cut(v.ID, mostChars), Impact: cut(v.Impact, mostChars), Help: cut(v.Help, mostChars),
			Targets: targets[:min(len(targets), mostTargets)], Count: v.Count,
		})
	}
	return found, nil
}
