package checkout

// Listed is a checkout as lists show it.
type Listed struct {
	Checkout
	Username string // of who became a member by it; empty: nobody did
}

// Filter narrows a list of checkouts.
type Filter struct {
	Paid          bool // only those that money came in for
	Limit, Offset int
}

// Refundable says whether there is a payment that can be sent back.
func (c Checkout) Refundable() bool { return c.State == Paid && c.PaymentIntent != nil }
