package verification

import "strings"

// moved is the share of a picture of the cell from which on it looks broken.
const moved = 0.01

// Opine says how a picture of the cell looks, by the picture alone. changed is the share of it
// that differs from the picture before; nil: there is none to compare with.
func Opine(m Measured, changed *float64) (Opinion, string) {
	switch {
	case m.Width <= 0 || m.Height <= 0:
		return LooksUnclear, "There is no picture to measure."
	case m.Blank:
		return LooksBroken, "Nearly all of the picture is one colour" + mainColour(m) + "."
	case changed == nil:
		return LooksWell, "The picture is not blank: it has edges at " + percent(m.Edges) +
			" of its pixels. There is none before it to compare with."
	case *changed > moved:
		return LooksBroken, percent(*changed) + " of the picture differs from the one before; " + percent(moved) + " may."
	default:
		return LooksWell, percent(*changed) + " of the picture differs from the one before; up to " + percent(moved) + " may."
	}
}

func mainColour(m Measured) string {
	return strings.Join(append([]string{""}, m.Colours[:min(len(m.Colours), 1)]...), ", ")
}
