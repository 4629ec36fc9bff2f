package pricing

import (
	"fmt"
	"strings"
)

// Rules proposes a discount without a model, in percent: 20 for an abandoned cart, or 10 for viewing the
// price; 4 for returning, plus 1 for each visit from the third, at most 3; 3 for 5 minutes on the site. A
// power user gets 5. The reason names the facts and stays true if the limits lower the discount.
func Rules(b Behaviour) Proposal {
	if b.UserType == PowerUser {
		return byRules(5, "you visit often")
	}
	percent, facts := b.interest()
	if b.UserType == ReturningVisitor {
		percent += 4 + min(max(b.Visits-2, 0), 3)
		facts = append(facts, returned(b.Visits))
	}
	if b.TimeOnSite >= 5*60 {
		percent += 3
		facts = append(facts, fmt.Sprintf("you spent %d minutes here", b.TimeOnSite/60))
	}
	if len(facts) == 0 {
		facts = []string{"this is your first visit"}
	}
	return byRules(percent, facts...)
}

// byRules phrases the facts as "a, b and c".
func byRules(percent int, facts ...string) Proposal {
	last := len(facts) - 1
	list := facts[last]
	if last > 0 {
		list = strings.Join(facts[:last], ", ") + " and " + list
	}
	return Proposal{Source: ByRules, DiscountPercent: percent, Reason: "Our fixed rules counted that " + list + "."}
}

func (b Behaviour) interest() (percent int, facts []string) {
	switch {
	case b.AddedToCart:
		return 20, []string{"you put the membership in your cart"}
	case b.ViewedPricing:
		return 10, []string{"you viewed the price"}
	default:
		return 0, nil
	}
}

func returned(visits int) string {
	if visits < 2 {
		return "you came back"
	}
	return fmt.Sprintf("you have visited %d times", visits)
}
