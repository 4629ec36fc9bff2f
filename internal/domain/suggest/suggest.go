// Package suggest finds the correct spelling of a misspelled name.
package suggest

import (
	"strings"

	"github.com/adrg/strutil/metrics"
)

// Nearest returns the known name nearest to wrong, ignoring case, or an empty string if none is near: it starts
// with wrong, or differs by at most 1 to 3 letters, depending on the length of wrong.
func Nearest(wrong string, known []string) string {
	distance := metrics.NewLevenshtein()
	distance.CaseSensitive = false
	most := min(3, 1+len(wrong)/4)
	nearest, least := "", min(most+1, len(wrong))
	for _, name := range known {
		if len(wrong) > len(name)+most { // no need to measure long input
			continue
		}
		d := distance.Distance(wrong, name)
		if len(wrong) > 2 && len(name) > len(wrong) && strings.EqualFold(name[:len(wrong)], wrong) {
			d = min(d, 1)
		}
		if d < least {
			nearest, least = name, d
		}
	}
	return nearest
}

// DidYouMean returns ` Did you mean "x"?` with the nearest name, or nothing if there is none.
func DidYouMean(wrong string, known []string) string {
	nearest := Nearest(wrong, known)
	if nearest == "" {
		return ""
	}
	return ` Did you mean "` + nearest + `"?`
}
