package browser

import (
	_ "embed"
	"slices"
	"strings"

	"customerzero/internal/domain/verification"
)

//go:embed read.js
var readScript string

// contents is what the page holds.
type contents struct {
	Title, Text string
	Landmarks   []string
	Headings    int
}

// describe says what is on the page, and what axe finds there.
func (v *visit) describe(f *verification.Facts) error {
	world, err := v.world()
	if err != nil {
		return err
	}
	text := map[bool]string{true: "false", false: "true"}[v.look.Quick]
	var page contents
	if err := world.run(strings.Replace(readScript, "TEXT", text, 1), &page); err != nil {
		return err
	}
	f.Title, f.Text = cut(page.Title, mostChars), cutBytes(page.Text, mostText)
	f.Headings = page.Headings
	for _, landmark := range verification.Landmarks {
		if slices.Contains(page.Landmarks, landmark) {
			f.Landmarks = append(f.Landmarks, landmark)
		}
	}
	if v.look.Quick || !v.look.Axe {
		return nil
	}
	f.Axe, err = world.examine(v.run.axe)
	return err
}
