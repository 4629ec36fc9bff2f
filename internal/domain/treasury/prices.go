package treasury

import "customerzero/internal/domain/post"

// What X charges, in millionths of a dollar, as docs.x.com/x-api/getting-started/pricing and
// docs.x.com/overview said in August 2026. X may change it at any time, and its console has
// the bill: what we say is an estimate.
const (
	PostMicroUSD      = 15_000  // "Content: Create", a request
	LinkPostMicroUSD  = 200_000 // "Content: Create (with URL)", a request
	OwnedReadMicroUSD = 1_000   // "Owned Reads", a post of our own
)

// MicroUSDPerCent is how many millionths of a dollar a cent is.
const MicroUSDPerCent = 10_000

// PostCost is what X charges for a post of this text, in millionths of a dollar.
func PostCost(text string) int64 {
	if post.HasURL(text) {
		return LinkPostMicroUSD
	}
	return PostMicroUSD
}
