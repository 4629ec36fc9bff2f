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
	connection := storetest.Connection(p.T, p.Store)
	p.look(p.Connection(ctx))
	p.look(p.ConnectionTokens(ctx, connection))
	p.look(p.ProviderKeys(ctx))
	went := create(p.T, p.Store, nil, november)
	p.look(p.BeginPost(ctx, went.ID, "run"))
	later := november.AddDate(0, 1, 0)
	p.look(p.ChangePost(ctx, went.ID, post.Change{ScheduledAt: &later}, november))
	p.look(p.ArmPost(ctx, went.ID, 1, connection, november))
	p.look(p.ConcludePost(ctx, went.ID, post.Verdict{Attempt: 1, Outcome: post.OutcomePublished, TweetID: "7", At: november}, november))
	failed := arm(p.T, p.Store, nil)
	conclude(p.T, p.Store, failed, post.Verdict{Outcome: post.OutcomeRefused, Code: "x_refused"})
	queued, err := queue(p.T, p.Store, nil)
	require.NoError(p, err)
	giveUp(p.T, p.Store, queued)
	p.look(p.Post(ctx, queued.ID))
	waits := write(p.T, p.Store, email.PostTrouble, "trouble:1", november)
	p.look(p.BeginLetter(ctx, waits, "run"))
	p.look(p.Letter(ctx, waits))
	endLetter(p.T, p.Store, waits, email.Sent, "")
}

func (p paths) buy() {
	ctx := p.Context()
	c := bought(p.T, p.Store, "buyer@example.com")
	p.look(p.NoteCheckoutRun(ctx, c.ID, "run", november))
	for _, e := range []checkout.Event{{ID: "evt_1", SessionID: *c.SessionID, CheckoutID: c.ID}, {ID: "evt_2", PaymentIntent: *c.PaymentIntent}} {
		e.CreatedAt = november
		p.look(p.NoteEvent(ctx, e, november))
		p.look(p.HeedEvent(ctx, e.ID, november))
	}
	another := offered(p.T, p.Store, wish(visitor(p.T, p.Store, "another")), 10, november)
	p.look(p.CloseCheckout(ctx, another.ID, checkout.Expired, "", "", november))
	p.look(p.Receipt(ctx, another.ID))
	p.look(p.SaveCall(ctx, model.Call{ID: xid.New().String(), CreatedAt: november}))
}

func (p paths) logIn() {
	ctx := p.Context()
	ada, err := p.AccountByID(ctx, "a00000001")
	require.NoError(p, err)
	issue(p.T, p.Store, "ada", &ada, right, november)
	require.NoError(p, guess(p.T, p.Store, "ada", right, november))
	p.look(p.OpenSession(ctx, account.NewSession{AccountID: ada.ID, Token: account.NewToken(), Provider: account.ByEmail}, november))
	sessions, err := p.Sessions(ctx, ada.ID, november)
	require.NoError(p, err)
	p.look(p.EndSession(ctx, ada.ID, sessions[0].ID))
	l := sendAway(p.T, p.Store, "browser", "token")
	p.look(comeBack(p.T, p.Store, "browser", "token", "verifier", november))
	p.look(p.RequestToken(ctx, l.ID))
	grace, err := p.XAccount(ctx, "4243", "grace", november)
	require.NoError(p, err)
	p.look(p.EndXLogin(ctx, l.ID, account.LoggedIn, "", &grace.ID))
	p.look(p.Take(ctx, account.Limit{Name: "reading", Most: 1, Per: time.Hour, Doing: "tests"}, "ada", november))
}

func (p paths) generate() {
	ctx := p.Context()
	p.look(p.League(ctx))
	a := asked(p.T, p.Store, "gx", nil, "a", "b")
	one, other := a.Candidates[0].ID, a.Candidates[1].ID
	p.look(p.MoveGeneration(ctx, "gx", "run"))
	p.look(p.BeginCandidate(ctx, one, "tweet.v1"))
	p.look(p.WriteCandidate(ctx, one, "so far"))
	p.look(p.EndCandidate(ctx, one, done("a text"), november))
	p.look(p.EndCandidate(ctx, other, done("another"), november))
	p.look(p.Candidate(ctx, one))
	p.look(p.CandidateForPost(ctx, one, nil))
	p.look(p.Vote(ctx, generation.Vote{GenerationID: "gx", CandidateID: one, CreatedAt: november}))
	p.look(p.EndGeneration(ctx, "gx", november))
}
