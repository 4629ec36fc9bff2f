package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// behaviour is what the price question tells of a visit.
type behaviour struct {
	Visits        int    `json:"visits"`
	TimeOnSite    int    `json:"time_on_site"` // seconds
	ViewedPricing bool   `json:"viewed_pricing"`
	AddedToCart   bool   `json:"added_to_cart"`
	UserType      string `json:"user_type"`
}

type proposal struct {
	DiscountPercent int    `json:"discount_percent"`
	Reason          string `json:"reason"`
}

// readBehaviour takes the five facts and no other: what else somebody adds to the question
// would be personal data that nobody agreed to.
func readBehaviour(input []byte) (seen behaviour, err error) {
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&seen) != nil {
		return seen, builtinModel{}.unanswerable("it takes the five facts about a visit, and no others")
	}
	switch seen.UserType {
	case "new_visitor", "returning_visitor", "power_user":
		return seen, nil
	default:
		return seen, builtinModel{}.unanswerable("it does not know this user_type")
	}
}

// propose adds up what speaks for a discount: 20 for a cart that was left, or 10 for a look
// at the price; 4 for coming back, and 1 more for each visit from the third on, up to 3;
// 3 for five minutes here. That makes 30 at most. A power user gets 5.
func (b behaviour) propose() proposal {
	if b.UserType == "power_user" {
		return proposal{5, "You are here often and know what it is worth, so this is a small thank-you."}
	}
	percent, facts := b.interest()
	if b.UserType == "returning_visitor" {
		percent += 4 + min(max(b.Visits-2, 0), 3)
		facts = append(facts, cameBack(b.Visits))
	}
	if b.TimeOnSite >= 5*60 {
		percent += 3
		facts = append(facts, fmt.Sprintf("you spent %d minutes here", b.TimeOnSite/60))
	}
	if len(facts) == 0 {
		return proposal{0, "This is your first look around, so there is no discount yet."}
	}
	return proposal{percent, "You get a discount because " + sentence(facts) + "."}
}

func (b behaviour) interest() (percent int, facts []string) {
	switch {
	case b.AddedToCart:
		return 20, []string{"you put the membership in your cart"}
	case b.ViewedPricing:
		return 10, []string{"you looked at the price"}
	default:
		return 0, nil
	}
}

func cameBack(visits int) string {
	if visits < 2 {
		return "you came back"
	}
	return fmt.Sprintf("you have come %d times", visits)
}

// sentence joins facts as people do: a, b and c.
func sentence(facts []string) string {
	last := len(facts) - 1
	if last == 0 {
		return facts[0]
	}
	return strings.Join(facts[:last], ", ") + " and " + facts[last]
}
