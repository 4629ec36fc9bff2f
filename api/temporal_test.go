package api_test

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/run"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/store"
	"customerzero/workflows"
)

func (r *runs) sent() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.commands...)
}

func (r *runs) StartChaos(_ context.Context, id string) (string, error) {
	if r.down {
		return "", context.DeadlineExceeded
	}
	return "run-" + id, r.note("chaos " + id)
}

func (r *runs) StopChaos(context.Context) error { return r.note("stop chaos") }

func (r *runs) CheckHistory(_ context.Context, workflowID, runID string) (chaos.HistoryCheck, error) {
	return chaos.HistoryCheck{WorkflowID: workflowID, RunID: runID, Passed: true, Events: 42, Build: "today", CheckedAt: now},
		r.note("check " + workflowID + " " + runID)
}

// StartGeneration ends every candidate with the test's text, or with a default one.
func (r *runs) StartGeneration(ctx context.Context, id string) (string, error) {
	if r.down {
		return "", problem.New(problem.Unavailable, "The workflow service is unavailable. Try again in a moment.")
	}
	asked, err := r.db.Generations.Generation(ctx, id)
	if err != nil {
		return "", err
	}
	for _, c := range asked.Candidates {
		end, ends := r.texts[c.Model]
		if r.texts == nil {
			end, ends = generation.End{State: generation.Done, Text: "What " + c.Label + " wrote."}, true
		}
		if _, err := r.db.Generations.BeginCandidate(ctx, c.ID, "tweet.v1"); err != nil {
			return "", err
		}
		if !ends {
			continue
		}
		if _, err := r.db.Generations.EndCandidate(ctx, c.ID, end, now); err != nil {
			return "", err
		}
	}
	return "run-" + id, r.note("generate " + id)
}

// AwaitGeneration does not wait.
func (r *runs) AwaitGeneration(ctx context.Context, id, _ string) error {
	asked, err := r.db.Generations.Generation(ctx, id)
	if err == nil && !asked.Ended() {
		return problem.New(problem.Unavailable, "The model is still writing. Check again in a minute.")
	}
	return err
}

func (r *runs) StartVerification(_ context.Context, id string) (string, error) {
	if r.down {
		return "", errors.New("dial tcp 10.0.0.3: connection refused")
	}
	return "run-" + id, r.note("verify " + id)
}

func (r *runs) AwaitVerification(ctx context.Context, id, _ string) error {
	until, _ := ctx.Deadline()
	r.mu.Lock()
	r.patient = time.Until(until)
	r.mu.Unlock()
	if r.verify == nil {
		return context.DeadlineExceeded
	}
	r.verify(id)
	return nil
}

// runs is a fake Temporal that records commands. With publish, a started post is published.
type runs struct {
	mu       sync.Mutex
	commands []string
	publish  *store.DB
	refuse   bool
	down     bool
	err      error

	db         *store.DB
	connection string
	asked      account.Outcome // outcome of a login at its start; empty means a request token
	finished   account.Outcome // outcome of a login; empty means that user logs in
	user       account.XUser
	refusal    string // code of refused tokens
	floor      int    // lowest price in cents; 600 if 0
	budget     int    // monthly discount budget in cents; 10000 if 0
	joined     bool   // a refund joins a run that only reconciles

	history run.Timeline // of every run
	newest  []run.Brief

	texts map[string]generation.End // results by model; a missing one never ends

	verify  func(verificationID string) // ends a verification while its request waits; nil if it keeps running
	patient time.Duration               // how long that request would wait
}

func (r *runs) note(command string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commands = append(r.commands, command)
	return r.err
}

func (r *runs) StartPost(ctx context.Context, p post.Post) (string, error) {
	if r.down {
		return "", errors.New("dial tcp 10.0.0.3: connection refused")
	}
	if r.publish != nil {
		_, err := r.publish.Posts.ArmPost(ctx, p.ID, 1, r.connection, now)
		if err == nil {
			v := post.Verdict{Attempt: 1, Outcome: post.OutcomePublished, TweetID: p.ID, URL: "https://x.com/bot/status/" + p.ID, At: now}
			if r.refuse {
				v = post.Verdict{Attempt: 1, Outcome: post.OutcomeRefused, Code: "x_refused", Reason: "X refuses this post."}
			}
			_, err = r.publish.Posts.ConcludePost(ctx, p.ID, v, now)
		}
		return "run-" + p.ID, err
	}
	return "run-" + p.ID, r.note("start " + p.ID)
}

func (r *runs) EditPost(_ context.Context, p post.Post, c workflows.EditCommand) error {
	return r.note("edit " + p.ID + " " + c.Text)
}

func (r *runs) ReschedulePost(_ context.Context, p post.Post, c workflows.RescheduleCommand) error {
	return r.note("reschedule " + p.ID + " " + c.ScheduledAt.Format(time.RFC3339))
}

func (r *runs) ScheduleRecurringPost(_ context.Context, p schedule.RecurringPost) error {
	return r.note("schedule " + p.ID + " " + string(p.State))
}

func (r *runs) NotifyPayment(_ context.Context, id string, kind checkout.EventKind) error {
	return r.note("handle " + string(kind) + " " + id)
}

func (r *runs) CancelPost(_ context.Context, p post.Post) error { return r.note("cancel " + p.ID) }
func (r *runs) RetryPost(_ context.Context, p post.Post) error  { return r.note("retry " + p.ID) }
func (r *runs) WakePost(_ context.Context, p post.Post) error   { return r.note("wake " + p.ID) }
func (r *runs) SendEmail(_ context.Context, id string) error    { return r.note("email " + id) }
func (r *runs) NotifyExperiment(_ context.Context, id string) error {
	return r.note("handle experiment " + id)
}

func (r *runs) CancelCheckout(_ context.Context, id string) error {
	return r.note("cancel checkout " + id)
}

// BeginXLogin returns a request token, or ends the login.
func (r *runs) BeginXLogin(ctx context.Context, id string) error {
	if r.down {
		return errors.New("dial tcp 10.0.0.3: connection refused")
	}
	if r.asked != "" {
		_, err := r.db.Accounts.EndXLogin(ctx, id, r.asked, "http_503", nil)
		return err
	}
	_, err := r.db.Accounts.RedirectXLogin(ctx, id, account.RequestToken{Token: "token-" + id, Secret: requestSecret}, "run-"+id)
	return err
}

// FinishXLogin logs in the test's user.
func (r *runs) FinishXLogin(ctx context.Context, id string) error {
	if r.finished != "" {
		_, err := r.db.Accounts.EndXLogin(ctx, id, r.finished, "http_401", nil)
		return err
	}
	a, err := r.db.Accounts.XAccount(ctx, r.user.ID, r.user.Handle, now)
	if err == nil {
		_, err = r.db.Accounts.EndXLogin(ctx, id, account.LoggedIn, "", &a.ID)
	}
	return err
}

// StartDiagnosis reports every step as passed.
func (r *runs) StartDiagnosis(ctx context.Context, id string) (string, error) {
	for _, step := range []diagnostic.Step{
		diagnostic.StepEnvironment, diagnostic.StepSignature, diagnostic.StepRequestToken, diagnostic.StepAccount,
	} {
		found := diagnostic.Found{Finding: diagnostic.Finding{Step: step, OK: true, Code: "ok"}, Raw: "raw answer"}
		if err := r.db.Diagnoses.SaveFinding(ctx, id, found, now); err != nil {
			return "", err
		}
	}
	return "run-" + id, r.note("diagnose " + id)
}

// TryConnection accepts the tokens unless the test refuses them.
func (r *runs) TryConnection(ctx context.Context, id string) error {
	if r.err != nil {
		_, err := r.db.Bot.RefuseConnection(ctx, id, cmp.Or(r.refusal, "x_bad_token"), "X does not accept the bot's keys.", "run", now)
		return err
	}
	_, err := r.db.Bot.Connect(ctx, id, "77", "bot", "run", now)
	return err
}

func (r *runs) ReplaceKeys(ctx context.Context, id string) error {
	if r.err != nil {
		_, err := r.db.Bot.RefuseKeys(ctx, id, "keys_refused", "X refused the keys.", "run")
		return err
	}
	_, err := r.db.Bot.ReplaceKeys(ctx, id, "run", now)
	return err
}

func (r *runs) StartAccountDeletion(_ context.Context, id string) (string, error) {
	return "run-" + id, r.note("delete " + id)
}

func (r *runs) Timeline(_ context.Context, workflowID, runID string) (run.Timeline, error) {
	return r.history, r.note("timeline " + workflowID + " " + runID)
}

func (r *runs) NewestRuns(_ context.Context, flow string, limit int) ([]run.Brief, error) {
	return r.newest, r.note("newest runs " + flow + " " + strconv.Itoa(limit))
}

// Quote decides the price by the rules and opens a payment page.
func (r *runs) Quote(ctx context.Context, id string) error {
	if err := r.note("quote " + id); err != nil {
		_, err := r.db.Checkouts.CloseCheckout(ctx, id, checkout.Failed, checkout.CodeNoPage, "No page.", now)
		return err
	}
	c, err := r.db.Checkouts.Receipt(ctx, id)
	if err != nil {
		return err
	}
	d, err := r.db.Checkouts.DecidePrice(ctx, c.DecisionID, pricing.Rules(c.Decision.Behaviour()), checkout.Budget{FloorCents: cmp.Or(r.floor, 600), MonthCents: cmp.Or(r.budget, 10000)}, now)
	if err != nil {
		return err
	}
	page := checkout.Session{ID: "cs_" + id, URL: "http://example.com/sandbox/stripe/pay/" + id, TotalCents: d.FinalCents, ExpiresAt: now.Add(checkout.OfferLife)}
	_, err = r.db.Checkouts.OpenCheckout(ctx, id, checkout.CouponID(id), page, now)
	return err
}

// RefundCheckout refunds the payment unless joined is set.
func (r *runs) RefundCheckout(ctx context.Context, id string) error {
	if err := r.note("refund " + id); err != nil || r.joined {
		return err
	}
	c, err := r.db.Checkouts.Receipt(ctx, id)
	if err == nil {
		_, err = r.db.Checkouts.ReconcilePayment(ctx, id, c.Version, checkout.Session{RefundedCents: 900}, "", now)
	}
	return err
}
