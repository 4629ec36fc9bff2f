package verification

import (
	"slices"
	"strings"
)

// CriterionVerdict is what a comment says of one thing that was asked.
type CriterionVerdict string

const (
	CriterionPass    CriterionVerdict = "PASS"
	CriterionFail    CriterionVerdict = "FAIL"
	CriterionUnclear CriterionVerdict = "UNCLEAR"
)

// Criterion is one thing that the asker wanted to know, and what the comment says of it.
type Criterion struct {
	Text    string           `json:"text"`
	Verdict CriterionVerdict `json:"verdict"`
	Why     string           `json:"why"`
}

// Comment is what a model, or the built-in analysis, says of a page. It stands beside the
// checks, never instead of them.
type Comment struct {
	By       string      `json:"by"`      // the model's name; BuiltIn
	BuiltIn  bool        `json:"builtIn"` // made of the checks and of measurements; nobody looked
	Text     string      `json:"text"`    // 2,000 characters at most
	Doubts   bool        `json:"doubts"`  // it does not believe that the page is well
	Criteria []Criterion `json:"criteria"`
	Trouble  string      `json:"trouble,omitempty"` // why the model's own comment is missing
}

// BuiltIn is the name of the built-in analysis.
const BuiltIn = "built-in"

const longestWhy = 300

// answer gives a criterion what the checks found, and names them. It reads words, and does not
// understand: where checks passed, and more was asked than they know, it is UNCLEAR.
func answer(asked string, checks []Check, pictures map[string]Measured) Criterion {
	about, beyond := read(asked)
	var verdicts []CriterionVerdict
	var why []string
	for _, t := range about {
		if verdict, says := finding(t, checks, pictures); says != "" {
			verdicts, why = append(verdicts, verdict), append(why, says)
		}
	}
	verdict := together(verdicts)
	switch {
	case len(why) == 0:
		why = []string{"The built-in analysis cannot see; no check answers this."}
	case verdict == CriterionPass && beyond:
		verdict = CriterionUnclear
		why = append([]string{"The built-in analysis cannot see all of this."}, why...)
	}
	return Criterion{asked, verdict, tidy(strings.Join(why, " "), longestWhy)}
}

// together is a failure when one is, and a pass when all are.
func together(verdicts []CriterionVerdict) CriterionVerdict {
	switch {
	case slices.Contains(verdicts, CriterionFail):
		return CriterionFail
	case len(verdicts) == 0 || slices.Contains(verdicts, CriterionUnclear):
		return CriterionUnclear
	default:
		return CriterionPass
	}
}

// read finds what a criterion is about, and whether it asks for more than that. A negation
// that denies no trouble is more: "there is no footer" is not what a check looks for.
func read(asked string) (about []topic, beyond bool) {
	asked = strings.ToLower(asked)
	for _, e := range Endpoints[1:] {
		path, _, _ := strings.Cut(e.Path, "?")
		if rest := strings.ReplaceAll(asked, path, " "); rest != asked {
			about, asked = append(about, topic{CheckEndpoint, "GET " + path}), rest
		}
	}
	precise := len(about) > 0 // "the endpoint /healthz" is about that one
	negated, denies := false, false
	for _, word := range words(asked) {
		t, known := topics[word]
		if known && !slices.Contains(about, t) && (t.kind != CheckEndpoint || !precise) {
			about = append(about, t)
		}
		beyond = beyond || !known && !fillers[word] && !negations[word] && !troubles[word]
		negated = negated || negations[word]
		denies = denies || troubles[word]
	}
	return about, beyond || negated && !denies
}

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
