package run

// IDs of checkouts are their buyers' own: whoever has one reads the receipt, and may cancel. So
// they stand in no list.
var flowsOfMoney = map[string]Flow{
	"Checkout": {
		Word: "checkout", Title: "Selling a membership",
		Says:    "Decides a price, opens a payment page, and waits until it is paid, cancelled or over. Unless it is paid, no discount of it can be used.",
		Subject: "CheckoutID", Standing: "State",
		Waits: map[string]string{"": "Waited for the payment"},
		Signals: map[string]string{
			"payment-settled": "Heard of news from the payment service", "cancelled": "The buyer gave up",
		},
		Updates: map[string]Description{"quote": {Title: "Somebody waited for the price", Out: offered}},
		Result:  []Field{{"State", "Ended", word}},
	},
	"Refund": {
		Word: "refund", Title: "Sending money back",
		Says:    "Sends a payment back if it is asked to, and books what went back.",
		Subject: "CheckoutID",
		Signals: map[string]string{"refunded": "Heard of news of the refund"},
		Result:  []Field{{"State", "Checkout is", word}},
	},
	"PaymentReconciliation": {
		Word: "payment-reconciliation", Title: "Looking for payments that nobody told us of", Listing: Asked,
		Says:   "Reads the payment service's own list of events, so that a lost message loses no payment.",
		Result: reconciled,
	},
}

var (
	offered = []Field{
		{"State", "State", word},
		{"ListCents", "List price", cents},
		{"DiscountPercent", "Discount", percent},
		{"ExpiresAt", "Can be paid until", moment},
		{"Demo", "Demo", yesNo},
	}
	stateOfCheckout = []Field{{"State", "State", word}}
	reconciled      = []Field{{"Events", "Events that had been missed", count}, {"Woken", "Checkouts that go on", count}}
)

var stepsOfMoney = map[string]Description{
	"BeginCheckout":         {Title: "Took the checkout up", Out: []Field{{"State", "State", word}, {"ListCents", "List price", cents}}},
	"ProposePrice":          {Title: "Asked a model for a discount, and held it within the limits", Out: priced},
	"DecidePriceByRules":    {Title: "Decided the price by our rules: no model answered", Out: priced},
	"CreateCoupon":          {Title: "Made the discount at the payment service", In: []Field{{"DiscountPercent", "Discount", percent}}},
	"CreateCheckoutSession": {Title: "Opened the payment page", Out: offered},
	"SettleCheckout":        {Title: "Asked the payment service what became of the page", In: []Field{{"Close", "To be", word}}, Out: stateOfCheckout},
	"DeleteCoupon":          {Title: "Took the discount back"},
	"AbandonCheckout":       {Title: "Ended the checkout without a page", Out: stateOfCheckout},
	"RefundPayment":         {Title: "Sent the money back"},
	"RecordRefund":          {Title: "Booked the refund", Out: stateOfCheckout},
	"ReconcilePayments":     {Title: "Read the payment service's events", Out: reconciled},
}

var priced = []Field{{"ListCents", "List price", cents}, {"DiscountPercent", "Discount", percent}}
