package verification

import (
	"fmt"
	"slices"
	"strings"

	"customerzero/internal/domain/target"
)

// CriterionVerdict is the review's answer to one criterion.
type CriterionVerdict string

const (
	CriterionPass    CriterionVerdict = "PASS"
	CriterionFail    CriterionVerdict = "FAIL"
	CriterionUnclear CriterionVerdict = "UNCLEAR"
)

// Criterion is one requested criterion with its answer.
type Criterion struct {
	Text    string           `json:"text" doc:"The question"`
	Verdict CriterionVerdict `json:"verdict" doc:"Answer of the AI review"`
	Why     string           `json:"why" doc:"Reason for the answer"`
}

// Comment is the AI review of a page, by a model or the built-in analysis. It complements the checks and
// never replaces them.
type Comment struct {
	By       string      `json:"by"`      // the model's name, or BuiltIn
	BuiltIn  bool        `json:"builtIn"` // made from checks and measurements, without a model
	Text     string      `json:"text"`    // at most 2,000 characters
	Doubts   bool        `json:"doubts"`  // it suspects a problem
	Criteria []Criterion `json:"criteria"`
	Trouble  string      `json:"trouble,omitempty"` // why there is no review by the model
}

// BuiltIn is the name of the built-in analysis.
const BuiltIn = "built-in"

const longestWhy = 300

// answer answers a criterion from the checks. It matches words only, so a criterion that goes beyond the
// checks is UNCLEAR even if they passed.
func answer(criterion string, checks []Check, pictures map[string]Measured) Criterion {
	about, beyond := topicsOf(criterion)
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
		why = []string{"No check covers this, and the built-in analysis cannot see."}
	case verdict == CriterionPass && beyond:
		verdict = CriterionUnclear
		why = append([]string{"The checks cover only a part of this."}, why...)
	}
	return Criterion{criterion, verdict, tidy(strings.Join(why, " "), longestWhy)}
}

// together is FAIL if one verdict is, and PASS if all are.
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

// topicsOf returns the topics of a criterion and whether it asks for more. A negation that negates no
// trouble is more: no check covers "there is no footer".
func topicsOf(criterion string) (about []topic, beyond bool) {
	criterion = strings.ToLower(criterion)
	for _, e := range Endpoints[1:] {
		path, _, _ := strings.Cut(e.Path, "?")
		if rest := strings.ReplaceAll(criterion, path, " "); rest != criterion {
			about, criterion = append(about, topic{CheckEndpoint, "GET " + path}), rest
		}
	}
	precise := len(about) > 0 // "the endpoint /healthz" is about that one
	negated, denies := false, false
	for _, word := range words(criterion) {
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

// Settle cleans a model's review: it drops criteria that were not requested, marks missing ones UNCLEAR
// and truncates texts. Criteria in other words are matched by position if their number is equal. The
// requested wording is kept.
func Settle(review Comment, requested []string) Comment {
	c := Comment{
		By: tidy(review.By, longestName), Text: tidy(review.Text, longestText), Doubts: review.Doubts,
		Trouble: tidy(review.Trouble, longestTrouble), Criteria: []Criterion{},
	}
	places := match(review.Criteria, requested)
	for i, text := range requested {
		criterion := Criterion{text, CriterionUnclear, "The AI review does not answer this."}
		if place := places[i]; place >= 0 {
			criterion.Verdict = verdictOf(review.Criteria[place].Verdict)
			criterion.Why = tidy(review.Criteria[place].Why, longestWhy)
		}
		c.Criteria = append(c.Criteria, criterion)
	}
	return c
}

// match returns the index of the answer to each criterion, or -1.
func match(answers []Criterion, requested []string) []int {
	places := make([]int, len(requested))
	taken := map[int]bool{}
	for i, text := range requested {
		places[i] = slices.IndexFunc(answers, func(c Criterion) bool { return same(c.Text, text) })
		taken[places[i]] = true
	}
	for i := range requested {
		if places[i] < 0 && len(answers) == len(requested) && !taken[i] {
			places[i] = i
		}
	}
	return places
}

// same compares a requested and an answered criterion; texts without letters or digits are compared
// literally.
func same(answered, requested string) bool {
	if f := folded(requested); f != "" {
		return folded(answered) == f
	}
	return strings.TrimSpace(answered) == strings.TrimSpace(requested)
}

func verdictOf(word CriterionVerdict) CriterionVerdict {
	switch v := CriterionVerdict(strings.ToUpper(strings.TrimSpace(string(word)))); v {
	case CriterionPass, CriterionFail:
		return v
	default:
		return CriterionUnclear
	}
}

// Measured holds the measurements of a picture.
type Measured struct {
	Width, Height int
	Luminance     float64  // mean, 0 (black) to 1 (white)
	Edges         float64  // share of pixels next to a jump in brightness
	Colours       []string // most frequent, such as #1a1b1e, at most 3
	Blank         bool     // nearly all of it is one color
}

// Analyse is the built-in analysis: a review made from checks and picture measurements, labeled as such.
// A criterion that no check answers is UNCLEAR. pictures are keyed by ViewName.
func Analyse(prompt string, checks []Check, pictures map[string]Measured) Comment {
	views := viewsOf(pictures)
	texts := []string{
		"This is the built-in analysis: it reads checks and measures pictures, but does not understand their content.",
		reason(checks),
	}
	texts = append(texts, measurements(views, pictures)...)
	texts = append(texts, changes(of(CheckBaseline, checks))...)
	_, failed, _ := Count(checks)
	c := Comment{
		By: BuiltIn, BuiltIn: true, Text: cut(strings.Join(texts, " "), longestText),
		Doubts: failed > 0 || len(blanks(views, pictures)) > 0, Criteria: []Criterion{},
	}
	for _, criterion := range Criteria(prompt) {
		c.Criteria = append(c.Criteria, answer(criterion, checks, pictures))
	}
	return c
}

// viewsOf returns the views that have a picture, in the order of Views.
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
	text := fmt.Sprintf("The picture of %s is %d × %d pixels with a mean brightness of %s and edges at %s of them",
		views[0], m.Width, m.Height, percent(m.Luminance), percent(m.Edges))
	if len(m.Colours) > 0 {
		text += "; its main colors are " + target.List(m.Colours)
	}
	texts := []string{text + "."}
	if empty := blanks(views, pictures); len(empty) > 0 {
		texts = append(texts, "It is nearly one color in "+target.List(empty)+", so the page seems empty there.")
	} else if len(views) > 1 {
		var others []string
		for _, view := range views[1:] {
			others = append(others, percent(pictures[view].Luminance)+" ("+view+")")
		}
		texts = append(texts, "The mean brightness of the other views is "+target.List(others)+".")
	}
	return texts
}

func blanks(views []string, pictures map[string]Measured) []string {
	return slices.DeleteFunc(slices.Clone(views), func(view string) bool { return !pictures[view].Blank })
}

// changes summarizes the comparisons with the baselines.
func changes(comparisons []Check) []string {
	passed, failed, _ := Count(comparisons)
	switch {
	case len(comparisons) == 0:
		return nil
	case failed > 0:
		var parts []string
		for _, check := range comparisons {
			if check.State == Fail {
				parts = append(parts, check.Subject+", "+strings.TrimSuffix(check.Message, "."))
			}
		}
		return []string{"It differs from the baseline: " + strings.Join(parts, "; ") + "."}
	case passed > 0:
		return []string{"It matches the baseline in " + count(passed, "view") + "."}
	default:
		return []string{"There is no baseline to compare with."}
	}
}
