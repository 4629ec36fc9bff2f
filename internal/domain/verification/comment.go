package verification

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
