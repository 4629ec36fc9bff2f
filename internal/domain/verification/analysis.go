package verification

import (
	"fmt"
	"slices"
	"strings"

	"customerzero/internal/domain/target"
)

// Measured is what can be said of a picture without understanding it.
type Measured struct {
	Width, Height int
	Luminance     float64  // mean, 0 (black) to 1 (white)
	Edges         float64  // the share of pixels beside which the brightness jumps
	Colours       []string // the most frequent ones, like #1a1b1e, three at most
	Blank         bool     // nearly all of it is one colour
}

// Analyse is the built-in comment: made of the checks and of honest measurements, and named
// so. What was asked is answered where a check answers it; else it is UNCLEAR. pictures are by
// ViewName.
func Analyse(prompt string, checks []Check, pictures map[string]Measured) Comment {
	views := viewsOf(pictures)
	said := []string{
		"This is the built-in analysis: it reads checks and measures pictures, and understands nothing of what they show.",
		reason(checks),
	}
	said = append(said, measurements(views, pictures)...)
	said = append(said, changes(of(CheckLook, checks))...)
	_, failed, _ := Count(checks)
	c := Comment{
		By: BuiltIn, BuiltIn: true, Text: cut(strings.Join(said, " "), longestText),
		Doubts: failed > 0 || len(blanks(views, pictures)) > 0, Criteria: []Criterion{},
	}
	for _, asked := range Criteria(prompt) {
		c.Criteria = append(c.Criteria, answer(asked, checks, pictures))
	}
	return c
}

// viewsOf gives the views that have a picture, in the order of Views.
func viewsOf(pictures map[string]Measured) (names []string) {
	for _, view := range Views() {
		name := ViewName(view.Theme, view.Viewport.Name)
		if _, seen := pictures[name]; seen {
			names = append(names, name)
		}
	}
	return names
}

func measurements(views []string, pictures map[string]Measured) []string {
	if len(views) == 0 {
		return []string{"There is no picture to measure."}
	}
	m := pictures[views[0]]
	text := fmt.Sprintf("The picture of %s is %d × %d pixels, %s of white in its mean brightness, and has edges at %s of them",
		views[0], m.Width, m.Height, percent(m.Luminance), percent(m.Edges))
	if len(m.Colours) > 0 {
		text += "; most of it is " + target.List(m.Colours)
	}
	said := []string{text + "."}
	if empty := blanks(views, pictures); len(empty) > 0 {
		said = append(said, "Nearly all of it is one colour in "+target.List(empty)+": the page seems empty there.")
	} else if len(views) > 1 {
		said = append(said, "The mean brightness of the others is "+brightness(views[1:], pictures)+".")
	}
	return said
}

func brightness(views []string, pictures map[string]Measured) string {
	var parts []string
	for _, view := range views {
		parts = append(parts, percent(pictures[view].Luminance)+" ("+view+")")
	}
	return target.List(parts)
}

func blanks(views []string, pictures map[string]Measured) []string {
	return slices.DeleteFunc(slices.Clone(views), func(view string) bool { return !pictures[view].Blank })
}

// changes says how the looks compare with the approved ones.
func changes(looks []Check) []string {
	passed, failed, _ := Count(looks)
	switch {
	case len(looks) == 0:
		return nil
	case failed > 0:
		var parts []string
		for _, look := range looks {
			if look.State == Fail {
				parts = append(parts, look.Subject+", "+strings.TrimSuffix(look.Message, "."))
			}
		}
		return []string{"It does not look as it was approved: " + strings.Join(parts, "; ") + "."}
	case passed > 0:
		return []string{"It looks as it was approved in " + count(passed, "view") + "."}
	default:
		return []string{"Nothing is known of what changed: there is no approved look to compare with."}
	}
}
