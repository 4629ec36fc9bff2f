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
	// SimilarFrom is the percentage from which posts are shown: X penalizes accounts that repeat themselves.
	SimilarFrom = 70
	// MostSimilar is the number of similar posts shown.
	MostSimilar = 3
	// MostCompared bounds the number of comparisons.
	MostCompared = 1000
)

// Likeness is a similar post.
type Likeness struct {
	Post
	Percent int // 100: identical
}

// Similar returns the most similar posts first, by shared letter pairs (Sørensen–Dice), ignoring case.
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

// plain normalizes a text for comparison. Canonical would take longer than the comparison.
func plain(text string) string {
	return withoutScheme.Replace(strings.ToLower(strings.Join(strings.Fields(norm.NFC.String(text)), " ")))
}

// likeness is the similarity in percent. It skips the comparison of texts with very different lengths.
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
