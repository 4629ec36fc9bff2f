package experiment

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/adrg/strutil/metrics"
	"golang.org/x/text/unicode/norm"
)

const (
	mostSimilar = 3
	// similarFrom is the share of a title's triples of letters that another one has, too: the
	// shorter one counts, so that half a title finds the whole.
	similarFrom = 0.6
	// leastTyped is how many characters say enough.
	leastTyped = 4
)

// Canonical is a title as it is compared: whatever its case and its spaces.
func Canonical(title string) string {
	return strings.ToLower(strings.Join(strings.Fields(norm.NFC.String(title)), " "))
}

// Similar finds experiments whose titles say nearly the same, the most alike first.
func Similar(title string, among []Experiment) []Experiment {
	wanted := Canonical(title)
	if utf8.RuneCountInString(wanted) < leastTyped {
		return nil
	}
	type likeness struct {
		Experiment
		share, whole float64
	}
	part := &metrics.OverlapCoefficient{CaseSensitive: true, NgramSize: 3}
	whole := metrics.NewSorensenDice()
	var alike []likeness
	for _, e := range among {
		other := Canonical(e.Title)
		if share := part.Compare(wanted, other); share >= similarFrom {
			alike = append(alike, likeness{e, share, whole.Compare(wanted, other)})
		}
	}
	slices.SortStableFunc(alike, func(a, b likeness) int {
		return cmp.Or(cmp.Compare(b.whole, a.whole), cmp.Compare(b.share, a.share))
	})
	var found []Experiment
	for _, l := range alike[:min(len(alike), mostSimilar)] {
		found = append(found, l.Experiment)
	}
	return found
}
