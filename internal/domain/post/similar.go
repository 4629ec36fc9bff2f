package post

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/adrg/strutil"
	"github.com/adrg/strutil/metrics"
	"golang.org/x/text/unicode/norm"
)

const (
	// SimilarFrom is how alike two texts are, in percent, that are worth a look: X takes
	// against accounts that say nearly the same again and again.
	SimilarFrom = 70
	// MostSimilar is how many are shown.
	MostSimilar = 3
	// MostCompared bounds the work.
	MostCompared = 1000
)

// Likeness is a post that says nearly the same.
type Likeness struct {
	Post
	Percent int // 100: the same
}

// Similar finds the posts that say nearly the same as a text, the most alike first: by how
// many pairs of neighbouring emails they share (Sørensen–Dice), whatever their case.
func Similar(text string, among []Post) []Likeness {
	wanted := plain(text)
	measure := metrics.NewSorensenDice()
	var alike []Likeness
	for _, p := range among[:min(len(among), MostCompared)] {
		if percent := likeness(wanted, plain(p.Text), measure); percent >= SimilarFrom {
			alike = append(alike, Likeness{p, percent})
		}
	}
	slices.SortStableFunc(alike, func(a, b Likeness) int { return cmp.Compare(b.Percent, a.Percent) })
	return alike[:min(len(alike), MostSimilar)]
}

var withoutScheme = strings.NewReplacer("https://", "", "http://", "")

// plain is a text as it is compared. Canonical would take longer than the comparison.
func plain(text string) string {
	return withoutScheme.Replace(strings.ToLower(strings.Join(strings.Fields(norm.NFC.String(text)), " ")))
}

// likeness is how alike two texts are, in percent. Texts of very different lengths are not:
// to see that costs much less than to compare them.
func likeness(a, b string, measure strutil.StringMetric) int {
	if a == b {
		return 100
	}
	short, long := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	if short > long {
		short, long = long, short
	}
	if short < 2 || 200*(short-1)/(short+long-2) < SimilarFrom {
		return 0
	}
	return int(strutil.Similarity(a, b, measure) * 100)
}
