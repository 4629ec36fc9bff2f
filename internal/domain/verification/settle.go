package verification

import (
	"slices"
	"strings"
)

const (
	longestText    = 2000
	longestName    = 100
	longestTrouble = 300
)

// Settle takes a model's answer for a comment: what was not asked is left out, what was and is
// not answered is UNCLEAR, and texts are cut. Where the model wrote a criterion in other words,
// its place counts, when it answered as many as were asked. What was asked stays as it was.
func Settle(said Comment, asked []string) Comment {
	c := Comment{
		By: tidy(said.By, longestName), Text: tidy(said.Text, longestText), Doubts: said.Doubts,
		Trouble: tidy(said.Trouble, longestTrouble), Criteria: []Criterion{},
	}
	places := match(said.Criteria, asked)
	for i, text := range asked {
		criterion := Criterion{text, CriterionUnclear, "The comment does not answer this."}
		if place := places[i]; place >= 0 {
			criterion.Verdict = verdictOf(said.Criteria[place].Verdict)
			criterion.Why = tidy(said.Criteria[place].Why, longestWhy)
		}
		c.Criteria = append(c.Criteria, criterion)
	}
	return c
}

// match finds the place of the answer to each question; -1: there is none.
func match(said []Criterion, asked []string) []int {
	places := make([]int, len(asked))
	taken := map[int]bool{}
	for i, text := range asked {
		places[i] = slices.IndexFunc(said, func(c Criterion) bool { return same(c.Text, text) })
		taken[places[i]] = true
	}
	for i := range asked {
		if places[i] < 0 && len(said) == len(asked) && !taken[i] {
			places[i] = i
		}
	}
	return places
}

// same compares what was asked with what was answered; texts that are all signs, by the letter.
func same(said, asked string) bool {
	if f := folded(asked); f != "" {
		return folded(said) == f
	}
	return strings.TrimSpace(said) == strings.TrimSpace(asked)
}

func verdictOf(word CriterionVerdict) CriterionVerdict {
	switch v := CriterionVerdict(strings.ToUpper(strings.TrimSpace(string(word)))); v {
	case CriterionPass, CriterionFail:
		return v
	default:
		return CriterionUnclear
	}
}
