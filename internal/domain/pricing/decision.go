package pricing

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

// DecisionState is where a decision stands.
type DecisionState string

const (
	Pending DecisionState = "pending" // nobody has proposed anything yet
	Decided DecisionState = "decided"
	Used    DecisionState = "used"    // somebody paid this price
	Expired DecisionState = "expired" // its day is over; what it held of the budget is free
)

// Decision is a price that was set for somebody, with all that it was set by.
type Decision struct {
	ID              string
	Visitor         *string // a digest; nil for the demo and for who is not counted
	OpenKey         *string // unique: one personal price a visitor at a time
	Demo            bool
	Personal        bool
	ListPriceReason Why // not personal

	Visits        int
	TimeOnSite    int // seconds
	ViewedPricing bool
	AddedToCart   bool
	UserType      UserType

	Source          Source
	CallID          *string
	Model           string
	Prompt          string
	ProposedPercent int
	Reason          string
	Clamps          string // comma-separated
	FallbackReason  string // why our rules stood in for the model

	ListCents       int
	DiscountPercent int
	FinalCents      int
	Month           *string // whose budget it counts against
	HeldCents       int

	State      DecisionState
	CreatedAt  time.Time
	DecidedAt  *time.Time
	ValidUntil time.Time
}

// TableName is the table of the rows.
func (Decision) TableName() string { return "price_decisions" }

// Behaviour is what the decision was set by.
func (d Decision) Behaviour() Behaviour {
	return Behaviour{d.Visits, d.TimeOnSite, d.ViewedPricing, d.AddedToCart, d.UserType}
}

// SetBehaviour notes what the decision is to be set by.
func (d *Decision) SetBehaviour(b Behaviour) {
	d.Visits, d.TimeOnSite, d.UserType = b.Visits, b.TimeOnSite, b.UserType
	d.ViewedPricing, d.AddedToCart = b.ViewedPricing, b.AddedToCart
}

// Settle makes the price of a proposal within the limits.
func (d *Decision) Settle(p Proposal, l Limits, at time.Time) {
	v := Settle(p, l)
	d.Source, d.CallID, d.Model, d.Prompt = p.Source, p.CallID, p.Model, p.Prompt
	d.ProposedPercent, d.Reason, d.FallbackReason = p.DiscountPercent, p.Reason, p.Fallback
	d.DiscountPercent, d.FinalCents = v.DiscountPercent, v.FinalCents
	names := make([]string, len(v.Clamps))
	for i, clamp := range v.Clamps {
		names[i] = string(clamp)
	}
	d.Clamps = strings.Join(names, ",")
	d.State, d.DecidedAt = Decided, &at
}

// ClampList names the rules that changed the proposal.
func (d Decision) ClampList() []Clamp {
	clamps := []Clamp{}
	for name := range strings.SplitSeq(d.Clamps, ",") {
		if name != "" {
			clamps = append(clamps, Clamp(name))
		}
	}
	return clamps
}

// farOut bounds absurd numbers. They are shown on the receipt as they were proposed, up to here.
const farOut = 1_000_000

// ReadProposal reads a model's answer, which satisfies the schema of its prompt.
func ReadProposal(answer json.RawMessage) (Proposal, error) {
	var said struct {
		DiscountPercent float64 `json:"discount_percent"`
		Reason          string  `json:"reason"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return Proposal{}, fmt.Errorf("the answer is not a proposal: %w", err)
	}
	percent := math.Trunc(min(max(said.DiscountPercent, -farOut), farOut))
	return Proposal{DiscountPercent: int(percent), Reason: strings.TrimSpace(said.Reason), Source: ByModel}, nil
}
