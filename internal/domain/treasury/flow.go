package treasury

// Flow is what came in and went out in some time, as counts and sums.
type Flow struct {
	Payments      int // by card, test mode left out
	PaidCents     int
	CardFeeCents  int // what the payment service kept
	UnknownFees   int // payments of which it did not say
	Refunds       int
	RefundedCents int // of the payments of that time, whenever it went back

	Posts     int // published, without a link
	LinkPosts int
	Reads     int // of our own posts

	Calls         int // of models
	UnpricedCalls int // whose cost nobody knows
	ModelNanoUSD  int64
}

// CountPost counts a published post by its text.
func (f *Flow) CountPost(text string) {
	if PostCost(text) == LinkPostMicroUSD {
		f.LinkPosts++
		return
	}
	f.Posts++
}

// Plus is both together.
func (f Flow) Plus(g Flow) Flow {
	return Flow{
		Payments: f.Payments + g.Payments, PaidCents: f.PaidCents + g.PaidCents,
		CardFeeCents: f.CardFeeCents + g.CardFeeCents, UnknownFees: f.UnknownFees + g.UnknownFees,
		Refunds: f.Refunds + g.Refunds, RefundedCents: f.RefundedCents + g.RefundedCents,
		Posts: f.Posts + g.Posts, LinkPosts: f.LinkPosts + g.LinkPosts, Reads: f.Reads + g.Reads,
		Calls: f.Calls + g.Calls, UnpricedCalls: f.UnpricedCalls + g.UnpricedCalls, ModelNanoUSD: f.ModelNanoUSD + g.ModelNanoUSD,
	}
}

// XMicroUSD is what X charges for it.
func (f Flow) XMicroUSD() int64 {
	return int64(f.Posts)*PostMicroUSD + int64(f.LinkPosts)*LinkPostMicroUSD + int64(f.Reads)*OwnedReadMicroUSD
}

// ModelsMicroUSD is what the models cost, as far as it is known.
func (f Flow) ModelsMicroUSD() int64 { return (f.ModelNanoUSD + 500) / 1000 }

// RunningMicroUSD is what it costs to run the bot. Card fees are no part of it: they come
// with money, and stop with it.
func (f Flow) RunningMicroUSD() int64 { return f.XMicroUSD() + f.ModelsMicroUSD() }

// CostMicroUSD is everything that went out, refunds aside.
func (f Flow) CostMicroUSD() int64 {
	return f.RunningMicroUSD() + int64(f.CardFeeCents)*MicroUSDPerCent
}

// LeftMicroUSD is what came in less what went out; below zero, somebody else paid.
func (f Flow) LeftMicroUSD() int64 {
	return int64(f.PaidCents-f.RefundedCents)*MicroUSDPerCent - f.CostMicroUSD()
}

// PerPostMicroUSD is what a published post cost on average, reads and models included. No
// post, no average.
func (f Flow) PerPostMicroUSD() (cost int64, known bool) {
	posts := int64(f.Posts + f.LinkPosts)
	if posts == 0 {
		return 0, false
	}
	return (f.RunningMicroUSD() + posts/2) / posts, true
}
