package verification

import "strings"

// topic is what a word asks for, and which checks know.
type topic struct {
	kind   CheckKind
	detail string // only this of a check's details; empty: all of the check
}

// Topics that no kind of check answers alone.
const (
	aboutTime  CheckKind = "time"
	aboutBlank CheckKind = "blank"
)

// topics are the words that a check answers.
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
		{CheckLook, ""}:     "change changes changed layout look looks moved shifted",
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

// fillers say nothing of their own beside a topic. A criterion with any other word asks for
// more than a check knows.
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

// negations turn a criterion around, unless it is trouble that they deny.
var negations = set(`no not none never without nothing isn aren doesn don nor neither`)

// troubles are what a check looks for: "no errors" is what its passing means.
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
