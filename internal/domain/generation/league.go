package generation

import (
	"cmp"
	"slices"
)

// Standing is how one model did in blind votes.
type Standing struct {
	Model string
	Wins  int
	Votes int // in which a text of it was to be chosen; at least 1
}

// Percent of its votes that it won, rounded to the nearest.
func (s Standing) Percent() int {
	return (s.Wins*200 + s.Votes) / (2 * s.Votes)
}

// Rank puts the best first: by percent, then by the number of votes, then by name.
func Rank(standings []Standing) {
	slices.SortFunc(standings, func(a, b Standing) int {
		// Cross-multiplied: percents are rounded, and would tie what is not equal.
		return cmp.Or(cmp.Compare(b.Wins*a.Votes, a.Wins*b.Votes), cmp.Compare(b.Votes, a.Votes), cmp.Compare(a.Model, b.Model))
	})
}
