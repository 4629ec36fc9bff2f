package pricing

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"customerzero/internal/domain/model"
)

// DecisionState is the state of a decision.
type DecisionState string

const (
	Pending DecisionState = "pending" // no proposal yet
	Decided DecisionState = "decided"
	Used    DecisionState = "used"    // the price was paid
	Expired DecisionState = "expired" // set by earlier versions, when its validity was over
)

// Decision is a price set for a visitor, with the data it was based on.
type Decision struct {
	ID              string
	Visitor         *string // a digest; nil for the demo and untracked visitors
	OpenKey         *string // unique: one personal price per visitor
	Demo            bool
	Personal        bool
	ListPriceReason Why // if not Personal

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
	FallbackReason  string // outcome of the failed model call

	ListCents       int
	DiscountPercent int
	FinalCents      int
	Month           *string // month of the budget
	HeldCents       int

	State      DecisionState
	CreatedAt  time.Time
	DecidedAt  *time.Time
	ValidUntil time.Time
}

// TableName is the GORM table name.
func (Decision) TableName() string { return "price_decisions" }

// Behaviour is the data that the decision is based on.
func (d Decision) Behaviour() Behaviour {
	return Behaviour{d.Visits, d.TimeOnSite, d.ViewedPricing, d.AddedToCart, d.UserType}
}

// SetBehaviour stores the data that the decision is based on.
func (d *Decision) SetBehaviour(b Behaviour) {
	d.Visits, d.TimeOnSite, d.UserType = b.Visits, b.TimeOnSite, b.UserType
	d.ViewedPricing, d.AddedToCart = b.ViewedPricing, b.AddedToCart
}

// Settle stores the price of a proposal within the limits.
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

// ClampList returns the limits that changed the proposal.
func (d Decision) ClampList() []Clamp {
	clamps := []Clamp{}
	for name := range strings.FieldsFuncSeq(d.Clamps, func(r rune) bool { return r == ',' }) {
		clamps = append(clamps, Clamp(name))
	}
	return clamps
}

// farOut bounds absurd proposals, which receipts otherwise show unchanged.
const farOut = 1_000_000

// ReadProposal parses a model's answer that satisfies the prompt's schema.
func ReadProposal(answer json.RawMessage) (Proposal, error) {
	var parsed struct {
		DiscountPercent float64 `json:"discount_percent"`
		Reason          string  `json:"reason"`
	}
	if err := json.Unmarshal(answer, &parsed); err != nil {
		return Proposal{}, fmt.Errorf("the answer is not a proposal: %w", err)
	}
	percent := math.Trunc(min(max(parsed.DiscountPercent, -farOut), farOut))
	return Proposal{DiscountPercent: int(percent), Reason: model.Plain(parsed.Reason), Source: ByModel}, nil
}
