// Package suggest finds the correct spelling of a misspelled name.
package suggest

import (
	"strings"

	"github.com/adrg/strutil/metrics"
)

// DidYouMean returns ` Did you mean "x"?` for the known name nearest to wrong, or nothing if none is
// near: it starts with wrong, or differs by 1 to 3 letters, depending on the length of wrong.
func DidYouMean(wrong string, known []string) string {
	distance := metrics.NewLevenshtein()
	distance.CaseSensitive = false
	nearest, least := "", min(3, 1+len(wrong)/4)+1
	for _, name := range known {
		d := distance.Distance(wrong, name)
		if len(wrong) > 2 && len(name) > len(wrong) && strings.EqualFold(name[:len(wrong)], wrong) {
			d = min(d, 1)
		}
		if d < least {
			nearest, least = name, d
		}
	}
	if nearest == "" {
		return ""
	}
	return ` Did you mean "` + nearest + `"?`
}
