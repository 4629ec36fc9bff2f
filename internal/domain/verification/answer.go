package verification

import (
	"slices"
	"strings"
)

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
