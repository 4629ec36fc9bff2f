package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
	stripesandbox "customerzero/internal/sandbox/stripe"
	"customerzero/workflows"
)

// TestCheckoutEndings ends one run of each workflow of a purchase.
func TestCheckoutEndings(t *testing.T) {
	runEndings(t, map[string]ending{
		"paid: a member with credits and two e-mails":     {"checkout-paid", longSend, bought},
		"paid with a lost webhook: found by reconciling":  {"payment-reconciliation", longSend, boughtWithoutWebhook},
		"refunded by a founder: the membership is frozen": {"refund-sent", longSend, sentBack},
		"disputed and won: frozen, then restored":         {"refund-disputed", longSend, disputedAndWon},
	})
}

func (w *world) membership(t *testing.T, r checkout.Receipt) member.Account {
	m, err := w.db.Members.Account(t.Context(), *w.receipt(t, r.ID).MemberID, post.MonthOf(time.Now()))
	require.NoError(t, err)
	return m
}

// disputedAndWon delivers every event twice.
func disputedAndWon(t *testing.T, w *world) string {
	twice := stripesandbox.Rule{Fault: stripesandbox.Duplicate, On: stripesandbox.OnWebhook, Rate: 1}
	require.NoError(t, w.shop.stripe.SetFaults(stripesandbox.Faults{Rules: []stripesandbox.Rule{twice}}))
	r, p := w.buy(t)
	for _, step := range []struct {
		action string
		want   member.Status
	}{{"dispute", member.StatusFrozen}, {"win-dispute", member.StatusActive}} {
		require.NoError(t, w.shop.stripe.Act(step.action, *r.SessionID))
		await(t, func() bool { return w.membership(t, r).Status == step.want })
	}
	require.Equal(t, member.FoundingCredits, w.membership(t, r).Credits)
	require.Zero(t, w.receipt(t, r.ID).DisputedCents)
	w.emails(t, p.address, email.MembershipChanged, 2)
	return workflows.RefundID(r.ID)
}

// TestRefundAfterItsRunWasTerminated terminates a refund that waits for Stripe: its caller gets a sentence, and can
// repeat it.
func TestRefundAfterItsRunWasTerminated(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		r, _ := w.buy(t)
		w.requestRefund(t, r.ID)
		hang := stripesandbox.Rule{Fault: stripesandbox.HangAfter, On: stripesandbox.OnAny, Rate: 1}
		require.NoError(t, w.shop.stripe.SetFaults(stripesandbox.Faults{Rules: []stripesandbox.Rule{hang}}))
		refused := make(chan error, 1)
		go func() { refused <- w.runs.RefundCheckout(t.Context(), r.ID) }()
		await(t, func() bool { return len(w.shop.stripe.Refunds()) == 1 })
		w.terminate(t, workflows.RefundID(r.ID))
		require.Equal(t, problem.Unavailable, problem.CodeOf(<-refused))
		require.NoError(t, w.shop.stripe.SetFaults(stripesandbox.Faults{}))
		for range 2 {
			require.NoError(t, w.runs.RefundCheckout(t.Context(), r.ID))
		}
		require.Equal(t, checkout.Refunded, w.receipt(t, r.ID).State)
		require.Len(t, w.shop.stripe.Refunds(), 1)
	})
}

// ended waits for the end of a checkout's run and compares its result with the row.
func (w *world) ended(t *testing.T, id string) checkout.Receipt {
	result := resultOf[workflows.CheckoutResult](t, w, workflows.CheckoutID(id))
	r := w.receipt(t, id)
	require.Equal(t, workflows.CheckoutResult{State: r.State, Code: r.Code}, result)
	return r
}

// buy buys a membership for a new person, whose e-mail address is a planted secret.
func (w *world) buy(t *testing.T) (checkout.Receipt, person) {
	p := w.newPerson()
	r := w.want(t)
	require.Equal(t, checkout.Open, r.State)
	w.pay(t, r, p.address)
	return w.ended(t, r.ID), p
}

func bought(t *testing.T, w *world) string {
	r, p := w.buy(t)
	require.Equal(t, checkout.Paid, r.State)
	require.Equal(t, r.Decision.FinalCents, r.PaidCents)
	require.Positive(t, r.Decision.DiscountPercent)
	require.Equal(t, pricing.ByRules, r.Decision.Source)

	m, err := w.db.Members.Account(t.Context(), *r.MemberID, post.MonthOf(time.Now()))
	require.NoError(t, err)
	require.Equal(t, member.FoundingCredits, m.Credits)
	require.Equal(t, r.PaidCents, m.PaymentCents)
	require.Equal(t, p.address, m.Email)
	for _, kind := range []email.Kind{email.Welcome, email.Receipt} {
		w.oneEmail(t, p.address, kind)
	}
	return workflows.CheckoutID(r.ID)
}

// oneEmail verifies that the outbox has one e-mail of a kind for an address.
func (w *world) oneEmail(t *testing.T, address string, kind email.Kind) {
	w.emails(t, address, kind, 1)
}

func (w *world) emails(t *testing.T, address string, kind email.Kind, n int) {
	waiting := fetch(t, w.db.Emails.WaitingEmails, true)
	found := 0
	for _, l := range waiting {
		_, content, err := w.db.Emails.Email(t.Context(), l.ID)
		require.NoError(t, err)
		if l.Kind == kind && content.To == address {
			found++
		}
	}
	require.Equal(t, n, found, kind)
}

func boughtWithoutWebhook(t *testing.T, w *world) string {
	lost := stripesandbox.Rule{Fault: stripesandbox.Lose, On: stripesandbox.OnWebhook, Rate: 1}
	require.NoError(t, w.shop.stripe.SetFaults(stripesandbox.Faults{Rules: []stripesandbox.Rule{lost}}))
	p, r := w.newPerson(), w.want(t)
	w.pay(t, r, p.address)
	run, err := w.temporal.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: workflows.PaymentReconciliationID, TaskQueue: workflows.QueueCore,
	}, workflows.PaymentReconciliation)
	require.NoError(t, err)
	require.NoError(t, run.Get(t.Context(), nil))
	require.Equal(t, checkout.Paid, w.ended(t, r.ID).State)
	return workflows.PaymentReconciliationID
}

// requestRefund stores a founder's request, as the API does.
func (w *world) requestRefund(t *testing.T, checkoutID string) {
	require.NoError(t, w.db.AuditLog.Audit(t.Context(), audit.Entry{
		At: time.Now(), Actor: "@grace", Action: audit.Refund, Outcome: audit.Begun, WorkflowID: workflows.RefundID(checkoutID),
	}))
}

func sentBack(t *testing.T, w *world) string {
	r, p := w.buy(t)
	w.requestRefund(t, r.ID)
	require.NoError(t, w.runs.RefundCheckout(t.Context(), r.ID))
	require.Equal(t, checkout.Refunded, w.receipt(t, r.ID).State)
	m, err := w.db.Members.Account(t.Context(), *r.MemberID, post.MonthOf(time.Now()))
	require.NoError(t, err)
	require.Equal(t, member.StatusFrozen, m.Status)
	require.Zero(t, m.Credits)
	w.oneEmail(t, p.address, email.Refund)
	require.Len(t, w.shop.stripe.Refunds(), 1)
	return workflows.RefundID(r.ID)
}

// A terminated run leaves its page open; the next event, or reconciliation, starts another run.
func TestPaymentAfterItsRunWasTerminated(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		p, r := w.newPerson(), w.want(t)
		w.terminate(t, workflows.CheckoutID(r.ID))
		w.pay(t, r, p.address)
		await(t, func() bool { return w.receipt(t, r.ID).State == checkout.Paid })
		w.oneEmail(t, p.address, email.Welcome)
	})
}

func TestOpenCheckoutGetsANewRun(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		r := w.want(t)
		w.terminate(t, workflows.CheckoutID(r.ID))
		for range 3 {
			require.NoError(t, w.runs.StartCheckout(t.Context(), r.ID))
		}
		require.NoError(t, w.runs.CancelCheckout(t.Context(), r.ID))
		require.Equal(t, checkout.Cancelled, w.ended(t, r.ID).State)
		require.NoError(t, w.runs.CancelCheckout(t.Context(), r.ID), "a repeat does nothing")
	})
}
