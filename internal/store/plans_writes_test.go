package store_test

import (
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/post"
	"customerzero/internal/store/storetest"
)

func (p paths) writePosts() {
	ctx := p.Context()
	connection := storetest.Connection(p.T, p.DB)
	p.look(p.Bot.Connection(ctx))
	p.look(p.Bot.ConnectionTokens(ctx, connection))
	p.look(p.Bot.ProviderKeys(ctx))
	went := create(p.T, p.DB, nil, november)
	p.look(p.Posts.BeginPost(ctx, went.ID, "run"))
	later := november.AddDate(0, 1, 0)
	p.look(p.Posts.ChangePost(ctx, went.ID, post.Change{ScheduledAt: &later}, november))
	p.look(p.Posts.ArmPost(ctx, went.ID, 1, connection, november))
	p.look(p.Posts.ConcludePost(ctx, went.ID, post.Verdict{Attempt: 1, Outcome: post.OutcomePublished, TweetID: "7", At: november}, november))
	failed := arm(p.T, p.DB, nil)
	conclude(p.T, p.DB, failed, post.Verdict{Outcome: post.OutcomeRefused, Code: "x_refused"})
	queued, err := queue(p.T, p.DB, nil)
	require.NoError(p, err)
	giveUp(p.T, p.DB, queued)
	p.look(p.Posts.Post(ctx, queued.ID))
	waits := write(p.T, p.DB, email.PostTrouble, "trouble:1", november)
	p.look(p.Emails.BeginLetter(ctx, waits, "run"))
	p.look(p.Emails.Letter(ctx, waits))
	endLetter(p.T, p.DB, waits, email.Sent, "")
}

func (p paths) buy() {
	ctx := p.Context()
	c := bought(p.T, p.DB, "buyer@example.com")
	p.look(p.Checkouts.NoteCheckoutRun(ctx, c.ID, "run", november))
	for _, e := range []checkout.Event{{ID: "evt_1", SessionID: *c.SessionID, CheckoutID: c.ID}, {ID: "evt_2", PaymentIntent: *c.PaymentIntent}} {
		e.CreatedAt = november
		p.look(p.Checkouts.NoteEvent(ctx, e, november))
		p.look(p.Checkouts.MarkEventHandled(ctx, e.ID, november))
	}
	another := offered(p.T, p.DB, wish(visitor(p.T, p.DB, "another")), 10, november)
	p.look(p.Checkouts.CloseCheckout(ctx, another.ID, checkout.Expired, "", "", november))
	p.look(p.Checkouts.Receipt(ctx, another.ID))
	p.look(p.ModelCalls.SaveCall(ctx, model.Call{ID: xid.New().String(), CreatedAt: november}))
}

func (p paths) logIn() {
	ctx := p.Context()
	ada, err := p.Accounts.AccountByID(ctx, "a00000001")
	require.NoError(p, err)
	issue(p.T, p.DB, "ada", &ada, right, november)
	require.NoError(p, guess(p.T, p.DB, "ada", right, november))
	p.look(p.Accounts.OpenSession(ctx, account.NewSession{AccountID: ada.ID, Token: account.NewToken(), Provider: account.ByEmail}, november))
	sessions, err := p.Accounts.Sessions(ctx, ada.ID, november)
	require.NoError(p, err)
	p.look(p.Accounts.EndSession(ctx, ada.ID, sessions[0].ID))
	l := sendAway(p.T, p.DB, "browser", "token")
	p.look(comeBack(p.T, p.DB, "browser", "token", "verifier", november))
	p.look(p.Accounts.RequestToken(ctx, l.ID))
	grace, err := p.Accounts.XAccount(ctx, "4243", "grace", november)
	require.NoError(p, err)
	p.look(p.Accounts.EndXLogin(ctx, l.ID, account.LoggedIn, "", &grace.ID))
	p.look(p.Limits.Consume(ctx, account.Limit{Name: "reading", Most: 1, Per: time.Hour, Doing: "tests"}, "ada", november))
}

func (p paths) generate() {
	ctx := p.Context()
	p.look(p.Generations.League(ctx))
	a := asked(p.T, p.DB, "gx", nil, "a", "b")
	one, other := a.Candidates[0].ID, a.Candidates[1].ID
	p.look(p.Generations.MoveGeneration(ctx, "gx", "run"))
	p.look(p.Generations.BeginCandidate(ctx, one, "tweet.v1"))
	p.look(p.Generations.WriteCandidate(ctx, one, "so far"))
	p.look(p.Generations.EndCandidate(ctx, one, done("a text"), november))
	p.look(p.Generations.EndCandidate(ctx, other, done("another"), november))
	p.look(p.Generations.Candidate(ctx, one))
	p.look(p.Generations.CandidateForPost(ctx, one, nil))
	p.look(p.Generations.Vote(ctx, generation.Vote{GenerationID: "gx", CandidateID: one, CreatedAt: november}))
	p.look(p.Generations.EndGeneration(ctx, "gx", november))
}
