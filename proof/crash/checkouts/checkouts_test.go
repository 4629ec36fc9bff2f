package checkouts

import (
	"database/sql"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/sandbox/stripe"
	"customerzero/proof/crash/rig"
	"customerzero/proof/crash/rig/rigtest"
	"customerzero/workflows"
)

// TestCrash is the short form of make crash-checkouts, on one database.
// Proves: F2, F14, F15, F16, F17, F18, F19 seeded
func TestCrash(t *testing.T) {
	t.Parallel()
	rigtest.Short(t, CrashTest, rig.Options{Count: 20, Kills: 2, Databases: []string{"sqlite"}})
}

func TestPlan(t *testing.T) {
	t.Parallel()
	o := rig.Options{Count: 300, Kills: 10, Seed: 7}
	plan := newPlan(o)
	require.Equal(t, plan, newPlan(o), "the same seed makes the same plan")
	o.Seed = 8
	require.NotEqual(t, plan, newPlan(o))

	known, practised := map[string]bool{}, map[habit]bool{}
	for _, b := range plan.buyers {
		require.False(t, known[b.email] || known[b.address.String()], "%+v is not the first", b)
		known[b.email], known[b.address.String()] = true, true
		practised[b.habit] = true
	}
	for _, h := range habits {
		require.True(t, practised[h], "no buyer %s", h)
	}
	require.Len(t, plan.damage.Kills, 20)
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// quiet is evidence in which every promise was kept: ada bought at a discount, bob paid twice, eve was refunded,
// kay left, and Stripe failed for joe.
func quiet() evidence {
	return evidence{
		facts: facts{
			checkouts: []row{
				{id: "ada", decisionID: "d-ada", sessionID: "s-ada", state: checkout.Paid, runID: "r-ada", memberID: "m-ada", paidCents: 810},
				{id: "bob", decisionID: "d-bob", sessionID: "s-bob", state: checkout.Paid, runID: "r-bob", memberID: "m-bob", paidCents: 900},
				{
					id: "bob2", decisionID: "d-bob2", sessionID: "s-bob2", state: checkout.Refunded, runID: "r-bob2",
					code: checkout.CodeAlreadyMember, paidCents: 900, refundedCents: 900,
				},
				{
					id: "eve", decisionID: "d-eve", sessionID: "s-eve", state: checkout.Refunded, runID: "r-eve", memberID: "m-eve",
					paidCents: 900, refundedCents: 900,
				},
				{id: "kay", decisionID: "d-kay", sessionID: "s-kay", state: checkout.Expired, runID: "r-kay", endedAt: sql.NullTime{Time: noon, Valid: true}},
				{id: "joe", decisionID: "d-joe", state: checkout.Failed, runID: "r-joe", endedAt: sql.NullTime{Time: noon, Valid: true}},
			},
			decisions: []decision{
				{id: "d-ada", visitor: "v-ada", month: "2026-11", personal: true, percent: 10, finalCents: 810, heldCents: 90},
				{id: "d-bob", visitor: "v-bob", month: "2026-11", personal: true, finalCents: 900},
				{id: "d-bob2", visitor: "v-bob", finalCents: 900},
				{id: "d-eve", finalCents: 900},
				{id: "d-kay", visitor: "v-kay", month: "2026-11", personal: true, percent: 20, finalCents: 720, heldCents: 180},
				{id: "d-joe", visitor: "v-joe", month: "2026-11", personal: true, percent: 20, finalCents: 720, heldCents: 180},
			},
			months:  []month{{"2026-11", 450, budgetCents}},
			members: map[string]string{"m-ada": "active", "m-bob": "active", "m-eve": "frozen"},
			owners:  map[string]string{"m-ada": "ada@x", "m-bob": "bob@x", "m-eve": "eve@x"},
			entries: []rig.CreditEntry{
				{MemberID: "m-ada", Key: "founding_fee:s-ada", Seq: 1, Delta: 90, Balance: 90},
				{MemberID: "m-bob", Key: "founding_fee:s-bob", Seq: 1, Delta: 90, Balance: 90},
				{MemberID: "m-eve", Key: "founding_fee:s-eve", Seq: 1, Delta: 90, Balance: 90},
				{MemberID: "m-eve", Key: "refund:eve", Seq: 2, Delta: -90, Balance: 0},
			},
			handled: map[string]bool{"e1": true, "e3": false},
			emails: []outboxEmail{
				{"l1", "welcome:ada", "sent"},
				{"l2", "receipt:ada", "sent"},
				{"l3", "welcome:bob", "sent"},
				{"l4", "receipt:bob", "sent"},
				{"l5", "welcome:eve", "sent"},
				{"l6", "receipt:eve", "sent"},
				{"l7", "refund:eve", "sent"},
				{"l8", "paid_twice:bob2", "sent"},
			},
		},
		pages: []page{
			{id: "s-ada", checkoutID: "ada", email: "ada@x", paid: true, total: 810},
			{id: "s-bob", checkoutID: "bob", email: "bob@x", paid: true, total: 900},
			{id: "s-bob2", checkoutID: "bob2", email: "bob@x", paid: true, total: 900, refunded: 900, refunds: 1},
			{id: "s-eve", checkoutID: "eve", email: "eve@x", paid: true, total: 900, refunded: 900, refunds: 1},
			{id: "s-kay", checkoutID: "kay", total: 720},
		},
		coupons: []stripe.Coupon{
			{ID: "k-ada", Metadata: map[string]string{"checkout": "ada"}, TimesRedeemed: 1},
			{ID: "k-kay", Metadata: map[string]string{"checkout": "kay"}, Deleted: true},
			{ID: "k-joe", Metadata: map[string]string{"checkout": "joe"}, CreatedAt: noon.Add(time.Second)},
		},
		events: []stripe.Event{{ID: "e1", Type: "checkout.session.completed"}, {ID: "e2"}, {ID: "e3"}},
		mail: []message{
			{"l1", "ada@x"},
			{"l2", "ada@x"},
			{"l3", "bob@x"},
			{"l4", "bob@x"},
			{"l5", "eve@x"},
			{"l6", "eve@x"},
			{"l7", "eve@x"},
			{"l8", "bob@x"},
		},
		runs: []flow{
			ended("ada", checkout.Paid), ended("bob", checkout.Paid), ended("bob2", checkout.Refunded), ended("eve", checkout.Paid),
			ended("kay", checkout.Expired), ended("joe", checkout.Failed),
			{Run: rig.Run{RunID: "r0"}, ID: "kay"},
		},
		quotes: []quote{
			{buyer: 1, checkoutID: "ada", cents: 810, personal: true},
			{buyer: 1, checkoutID: "ada", cents: 810, personal: true},
			{buyer: 4, checkoutID: "eve", cents: 900},
		},
		receipts: []receipt{{1, "ada"}, {2, "bob2"}},
		forged:   []int{400, 400},
	}
}

func ended(id string, as checkout.State) flow {
	run := rig.Run{WorkflowID: "checkout:" + id, RunID: "r-" + id, Status: enums.WORKFLOW_EXECUTION_STATUS_COMPLETED}
	return flow{Run: run, ID: id, Result: workflows.CheckoutResult{State: as}}
}

// Proves: F2
func TestInvariants(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spoil    func(*evidence)
		breaches []string
	}{
		"every promise is kept":                           {func(*evidence) {}, nil},
		"a checkout that does not end is noticed":         {func(e *evidence) { e.stuck = []string{"checkout ada is open"} }, []string{"ending"}},
		"a payment without a paid checkout is noticed":    {func(e *evidence) { e.pages[4].paid, e.pages[4].email = true, "kay@x" }, []string{"booked", "memberships"}},
		"a paid checkout without a payment is noticed":    {func(e *evidence) { e.pages[0].paid = false }, []string{"booked", "memberships"}},
		"an amount that is not Stripe's is noticed":       {func(e *evidence) { e.checkouts[0].paidCents = 800 }, []string{"booked"}},
		"a refund that is not stored is noticed":          {func(e *evidence) { e.pages[0].refunded, e.pages[0].refunds = 810, 1 }, []string{"booked", "memberships"}},
		"a payment on another checkout's page is noticed": {func(e *evidence) { e.checkouts[0].sessionID, e.checkouts[1].sessionID = "s-bob", "s-ada" }, []string{"booked", "credits"}},
		"a buyer without a membership is noticed":         {func(e *evidence) { e.members["m-ada"] = "frozen" }, []string{"memberships"}},
		"a member who never paid is noticed":              {func(e *evidence) { e.members["m-new"] = "active" }, []string{"memberships"}},
		"a refunded member who stays active is noticed":   {func(e *evidence) { e.members["m-eve"] = "active" }, []string{"memberships"}},
		"credits that were given twice are noticed": {
			func(e *evidence) {
				e.entries = append(e.entries, rig.CreditEntry{MemberID: "m-bob", Key: "founding_fee:s-bob", Seq: 2, Delta: 90, Balance: 180})
			},
			[]string{"credits"},
		},
		"missing credits are noticed":              {func(e *evidence) { e.entries = e.entries[1:] }, []string{"credits"}},
		"credits that were kept are noticed":       {func(e *evidence) { e.entries = e.entries[:3] }, []string{"credits"}},
		"a balance that is not the sum is noticed": {func(e *evidence) { e.entries[0].Balance = 91 }, []string{"sums"}},
		"a second refund is noticed":               {func(e *evidence) { e.pages[2].refunds = 2 }, []string{"double"}},
		"a second membership of one buyer is noticed": {
			func(e *evidence) {
				e.checkouts[2] = row{id: "bob2", decisionID: "d-bob2", sessionID: "s-bob2", state: checkout.Paid, runID: "r-bob2", memberID: "m-two", paidCents: 900}
				e.pages[2].refunded, e.pages[2].refunds, e.members["m-two"], e.owners["m-two"] = 0, 0, "active", ""
				e.runs[2].Result.State = checkout.Paid
			}, []string{"memberships", "credits", "mail"},
		},
		"a second payment that was not refunded is noticed": {
			func(e *evidence) {
				e.checkouts[2].state, e.checkouts[2].refundedCents, e.runs[2].Result.State = checkout.Paid, 0, checkout.Paid
				e.pages[2].refunded, e.pages[2].refunds = 0, 0
			}, []string{"memberships", "double"},
		},
		"a price other than the one shown is noticed":                {func(e *evidence) { e.quotes[2].cents = 800 }, []string{"prices"}},
		"a page that charges more than was decided is noticed":       {func(e *evidence) { e.pages[4].total = 900 }, []string{"prices"}},
		"a page without a checkout is noticed":                       {func(e *evidence) { e.pages[4].checkoutID = "who" }, []string{"prices"}},
		"a second personal price is noticed":                         {func(e *evidence) { e.decisions[5].visitor = "v-kay" }, []string{"steady"}},
		"another price for the same buyer is noticed":                {func(e *evidence) { e.quotes[1] = quote{buyer: 1, checkoutID: "kay", cents: 720, personal: true} }, []string{"steady"}},
		"a coupon that was not deleted is noticed":                   {func(e *evidence) { e.coupons[1].Deleted = false }, []string{"coupons"}},
		"a coupon older than the failure of its checkout is noticed": {func(e *evidence) { e.coupons[2].CreatedAt = noon.Add(-time.Second) }, []string{"coupons"}},
		"a coupon that was used without a payment is noticed":        {func(e *evidence) { e.coupons[1].TimesRedeemed = 1 }, []string{"coupons"}},
		"a wrong sum of a month is noticed":                          {func(e *evidence) { e.months[0].heldCents = 360 }, []string{"held"}},
		"a month over its budget is noticed":                         {func(e *evidence) { e.months[0].ofCents = budgetCents + 90 }, []string{"held"}},
		"a discount that no month holds is noticed":                  {func(e *evidence) { e.months = nil }, []string{"held"}},
		"a missing checkout that was shown is noticed":               {func(e *evidence) { e.quotes = append(e.quotes, quote{checkoutID: "gone"}) }, []string{"shown"}},
		"a paid receipt without a membership is noticed":             {func(e *evidence) { e.receipts = append(e.receipts, receipt{5, "kay"}) }, []string{"shown"}},
		"a forged webhook that was accepted is noticed":              {func(e *evidence) { e.forged = append(e.forged, 200) }, []string{"forged"}},
		"an event that Stripe never sent is noticed":                 {func(e *evidence) { e.handled["forged"] = false }, []string{"forged"}},
		"a payment event that is not stored is noticed":              {func(e *evidence) { e.events[1].Type = "charge.refunded" }, []string{"handled"}},
		"a stored payment event that is not handled is noticed":      {func(e *evidence) { e.events[2].Type = "charge.refunded" }, []string{"handled"}},
		"a missing welcome is noticed":                               {func(e *evidence) { e.mail = e.mail[1:] }, []string{"mail"}},
		"a missing e-mail about a second payment is noticed":         {func(e *evidence) { e.mail = e.mail[:7] }, []string{"mail"}},
		"a duplicate e-mail is noticed":                              {func(e *evidence) { e.mail = append(e.mail, message{"l9", "ada@x"}) }, []string{"mail"}},
		"an e-mail to the wrong address is noticed":                  {func(e *evidence) { e.mail[0].to = "bob@x" }, []string{"mail"}},
		"a run with another state than its row is noticed":           {func(e *evidence) { e.runs[4].Result.State = checkout.Cancelled }, []string{"runs"}},
		"an open run is noticed":                                     {func(e *evidence) { e.runs[6].Status = enums.WORKFLOW_EXECUTION_STATUS_RUNNING }, []string{"runs"}},
		"a run that failed is noticed":                               {func(e *evidence) { e.failures = []string{"refund:eve failed"} }, []string{"runs"}},
		"a checkout without a run is noticed":                        {func(e *evidence) { e.runs = slices.Delete(e.runs, 1, 2) }, []string{"runs"}},
		"a run without a checkout is noticed":                        {func(e *evidence) { e.runs = append(e.runs, ended("who", checkout.Paid)) }, []string{"runs"}},
		"an unexpected response is noticed":                          {func(e *evidence) { e.unexpected = []string{"refused"} }, []string{"reason"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := quiet()
			tt.spoil(&e)
			require.ElementsMatch(t, tt.breaches, rig.Breached(invariants, e))
		})
	}
}
