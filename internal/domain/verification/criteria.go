package verification

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"customerzero/internal/domain/target"
)

const (
	mostCriteria     = 10
	longestCriterion = 200
)

// bullet matches list markers at the start of a line.
var bullet = regexp.MustCompile(`^(?:[-*+•–—·>]+|\(?\d{1,2}[.)]|\(?[a-z]\)|\[[ xX]?\])(?:\s+|$)`)

// Criteria splits a prompt into criteria: one per line or sentence, at most 10.
func Criteria(prompt string) []string {
	var found []string
	seen := map[string]bool{}
	for line := range strings.FieldsFuncSeq(prompt, func(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' }) {
		for _, part := range sentences(unlisted(tidy(line, len(prompt)+1))) {
			part = cut(unlisted(part), longestCriterion)
			if key := folded(part); strings.ContainsFunc(part, unicode.IsLetter) && !seen[key] {
				seen[key] = true
				found = append(found, part)
			}
		}
	}
	return slices.Clip(found[:min(len(found), mostCriteria)])
}

// unlisted removes bullets and checkboxes.
func unlisted(line string) string {
	line = strings.TrimSpace(line)
	for {
		rest := strings.TrimSpace(bullet.ReplaceAllString(line, ""))
		if rest == line {
			return line
		}
		line = rest
	}
}

// sentences splits where no lowercase letter follows a full stop: "e.g. a menu" and "3.5 s" stay whole.
func sentences(line string) (parts []string) {
	runes := []rune(line)
	begin := 0
	for i := 0; i+2 < len(runes); i++ {
		if runes[i+1] != ' ' {
			continue
		}
		if r := runes[i]; r == '?' || r == '!' || r == '.' && !unicode.IsLower(runes[i+2]) {
			parts = append(parts, string(runes[begin:i+1]))
			begin = i + 2
		}
	}
	return append(parts, string(runes[begin:]))
}

// folded normalizes a criterion for comparison: lowercase letters and digits.
func folded(text string) string {
	return strings.Join(words(text), " ")
}

// words returns the words of a text in lower case, without punctuation.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
}

// finding answers a topic from the checks. The text is empty if no check covers it.
func finding(t topic, checks []Check, pictures map[string]Measured) (CriterionVerdict, string) {
	if t.kind == aboutBlank {
		return findingBlank(pictures)
	}
	if t.kind == aboutTime {
		return findingTime(checks)
	}
	var failed, fine, skipped []Check
	for _, check := range of(t.kind, checks) {
		switch {
		case t.kind == CheckEndpoint && !strings.HasPrefix(check.Subject, t.detail): // another endpoint
		case check.State == Skip:
			skipped = append(skipped, check)
		case check.State == Fail && t.in(check):
			failed = append(failed, check)
		default:
			fine = append(fine, check)
		}
	}
	switch {
	case len(failed) > 0:
		return CriterionFail, "The check " + where(failed) + " failed: " + failed[0].Message
	case len(fine) > 0:
		return CriterionPass, "No problem was found by the check " + where(fine) + "."
	case len(skipped) > 0:
		return CriterionUnclear, "The check " + where(skipped) + " could not run: " + skipped[0].Message
	default:
		return CriterionUnclear, ""
	}
}

// in reports whether a failed check concerns the topic, and not another detail of its kind.
func (t topic) in(failed Check) bool {
	if t.detail == "" || t.kind == CheckEndpoint {
		return true
	}
	return slices.ContainsFunc(failed.Details, func(detail string) bool {
		return detail == t.detail || strings.HasPrefix(detail, t.detail+":")
	})
}

// where names a check kind and its subjects.
func where(checks []Check) string {
	var subjects []string
	for _, check := range checks {
		subjects = append(subjects, check.Subject)
	}
	if kind := checks[0].Kind; kind != CheckEndpoint {
		return string(kind) + " (" + inViews(subjects) + ")"
	}
	return some(subjects, len(Endpoints))
}

func findingBlank(pictures map[string]Measured) (CriterionVerdict, string) {
	views := viewsOf(pictures)
	switch empty := blanks(views, pictures); {
	case len(views) == 0:
		return CriterionUnclear, ""
	case len(empty) > 0:
		return CriterionFail, "Nearly all of the picture is one color (" + inViews(empty) + ")."
	default:
		return CriterionPass, "No picture is nearly all one color: " + count(len(views), "view") + " measured."
	}
}

// findingTime reads durations from the messages of checks; they are not stored elsewhere.
func findingTime(checks []Check) (CriterionVerdict, string) {
	var slow, fine []string
	for _, check := range append(of(CheckEndpoint, checks), of(CheckPage, checks)...) {
		took, found := tookIn(check.Message)
		switch {
		case !found:
		case took > slowest*time.Millisecond:
			slow = append(slow, check.Subject+": "+check.Message)
		default:
			fine = append(fine, check.Subject)
		}
	}
	limit := took(slowest)
	switch {
	case len(slow) > 0:
		return CriterionFail, "Slower than " + limit + ": " + some(slow, 3)
	case len(fine) > 0:
		return CriterionPass, "According to the checks, " + target.List(fine) + " took at most " + limit + "."
	default:
		return CriterionUnclear, ""
	}
}

// tookIn parses a duration written by took.
func tookIn(message string) (time.Duration, bool) {
	_, rest, found := strings.Cut(message, " in ")
	if !found {
		_, rest, found = strings.Cut(message, "It took ")
	}
	number, unit, spaced := strings.Cut(strings.TrimSuffix(rest, "."), " ")
	if !found || !spaced {
		return 0, false
	}
	span, err := time.ParseDuration(number + unit)
	return span, err == nil
}

// topic is the check that answers a word.
type topic struct {
	kind   CheckKind
	detail string // one of the check's details; empty: the whole check
}

// Topics that no single check kind answers.
const (
	aboutTime  CheckKind = "time"
	aboutBlank CheckKind = "blank"
)

// topics maps words to the checks that answer them.
var topics = func() map[string]topic {
	all := map[string]topic{}
	for t, list := range map[topic]string{
		{CheckLandmarks, ""}:            "landmark landmarks",
		{CheckLandmarks, "navigation"}:  "navigation nav menu",
		{CheckLandmarks, "banner"}:      "header banner",
		{CheckLandmarks, "contentinfo"}: "footer contentinfo",
		{CheckLandmarks, "main"}:        "main",
		{CheckLandmarks, topHeading}:    "heading headings headline h1",
		{CheckConsole, ""}:              "error errors console script scripts javascript js exception exceptions",
		{CheckAxe, ""}:                  "accessible accessibility axe a11y wcag aria",
		{CheckAxe, "color-contrast"}:    "contrast contrasts",
		{CheckRequests, ""}: "image images asset assets resource resources request requests load loads loaded bundle " +
			"bundles stylesheet stylesheets css font fonts",
		{CheckEndpoint, ""}: "endpoint endpoints api apis status",
		{CheckBaseline, ""}: "change changes changed layout look looks moved shifted",
		{CheckPage, ""}:     "open opens opened reachable online",
		{aboutTime, ""}:     "fast quick quickly slow slowly speed time",
		{aboutBlank, ""}:    "blank empty",
	} {
		for word := range strings.FieldsSeq(list) {
			all[word] = t
		}
	}
	return all
}()

// fillers are words without meaning. A criterion with any other unknown word asks for more than the checks.
var fillers = set(`a all also an and any are as at be been big both but by can check checks code codes come comes can could did
	display displayed do does each every everything exist exists fail failed failing fails find fine five for free from get
	give good had has have healthy here hidden how i if in intact is it its 200 just level me missing my no none nor normal not
	nothing of off ok okay on one only or our out own page pages part parts please present problem problems properly public
	response responses respond responds right same section see seen should show showing shown shows site still sure than that
	the their them there these they this to top true trouble up use usual verify violation violations visible warning warnings
	was we well were what when whether which with within without work working works you your
	answer answers answered broken complain complains complaint complaints consistent correct correctly expected first
	front gone has home landing lost makes make render rendered renders rule rules thrown throw throws absent bar isn aren
	doesn don t s`)

// negations invert a criterion, unless they negate trouble.
var negations = set(`no not none never without nothing isn aren doesn don nor neither`)

// troubles are the failures that checks detect: "no errors" means that the check passed.
var troubles = set(`error errors exception exceptions console change changes changed moved shifted slow slowly blank empty
	violation violations problem problems trouble broken missing fail failed failing fails absent hidden gone lost warning
	warnings complaint complaints complain complains throw throws thrown`)

func set(list string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		all[word] = true
	}
	return all
}
