package onboarding

// Form is how a question is answered.
type Form string

const (
	Text    Form = "text"    // words of one's own
	Ratings Form = "ratings" // a whole number for each of the options
	Choice  Form = "choice"  // one of the options
	Choices Form = "choices" // any of the options
)

const (
	// LongestText is how many characters an answer in words may have.
	LongestText = 2000
	LeastRating = 1
	MostRating  = 5
)

// Question is a step of the questionnaire. Its words stand in the pages.
type Question struct {
	ID      string
	Form    Form
	Options []string // empty for words of one's own
}

// Questions are asked in this order. Answers are kept by these names: add, never rename.
var Questions = []Question{
	{ID: "vision", Form: Text},
	{ID: "customer_zero_excitement", Form: Text},
	{ID: "project_excitement", Form: Choices, Options: []string{
		"audited_posting", "self_healing", "fair_pricing", "public_experiments", "ai_verification",
	}},
	{ID: "experience_level", Form: Ratings, Options: []string{
		"edge_workers", "card_payments", "social_media_api", "ai_llm",
	}},
	{ID: "impressive_automation", Form: Text},
	{ID: "exciting_apis", Form: Text},
	{ID: "ai_future", Form: Text},
	{ID: "build_preference", Form: Choice, Options: []string{
		"ship_small_steps", "plan_first", "prove_with_tests", "explore_freely",
	}},
	{ID: "first_feature", Form: Choice, Options: []string{
		"post_calendar", "engagement_report", "more_networks", "writing_help", "open_treasury",
	}},
	{ID: "collaboration_style", Form: Choices, Options: []string{
		"building_together", "written_proposals", "reviews", "trying_things_out", "spreading_the_word",
	}},
	{ID: "value_creation", Form: Text},
	{ID: "legendary_factor", Form: Text},
}

func questionOf(id string) (Question, bool) {
	for _, q := range Questions {
		if q.ID == id {
			return q, true
		}
	}
	return Question{}, false
}
