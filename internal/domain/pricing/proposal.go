package pricing

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

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
