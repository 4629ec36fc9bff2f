package journeys_test

import (
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
)

// person is somebody with an account. What lets them in is planted: after the journey it is
// looked for wherever it must not be.
type person struct {
	account account.Account
	address string
	code    string // of an e-mail to them; unlike ours, nothing else looks like it
	claim   string // of the link in their welcome letter
	session string
}

// plant names secrets of this world to those who look for them.
func (w *world) plant(secrets ...string) { w.planted = append(w.planted, secrets...) }

func (w *world) newPerson() person {
	id := xid.New().String()
	p := person{
		address: "canary-" + id + "@example.com", code: "canary-code-" + id, claim: account.NewToken(), session: account.NewToken(),
	}
	w.plant(p.address, p.code, p.claim, p.session)
	return p
}

// populate gives the world somebody to write to: a member, whose welcome waits in the
// outbox, and a founder, to whom posts in trouble write.
func (w *world) populate(t *testing.T) {
	t.Helper()
	w.newcomer, w.grace = w.newPerson(), w.newPerson()
	w.welcome(t, &w.newcomer)
	w.knowFounder(t, &w.grace)
}

func (w *world) welcome(t *testing.T, p *person) {
	t.Helper()
	require.NoError(t, w.db.Members.AddMember(t.Context(), member.Member{
		ID: "newcomer", Username: "newcomer", UsernameKey: "newcomer", Status: member.StatusActive,
		PaymentCents: member.FoundingFeeCents, JoinedAt: time.Now(),
	}, &account.Welcome{Email: p.address, Token: p.claim, Facts: map[string]string{
		"Name": "Newcomer", "Credits": "90", "Days": "7", "ClaimURL": site + "/claim#" + p.claim,
	}}))
	known, err := w.db.Accounts.AccountByEmail(t.Context(), p.address)
	require.NoError(t, err)
	p.account = *known
}

// knowFounder has the founder prove her address, and her session be open.
func (w *world) knowFounder(t *testing.T, p *person) {
	t.Helper()
	var err error
	p.account, err = w.db.Accounts.XAccount(t.Context(), founder.ID, founder.Username, time.Now())
	require.NoError(t, err)
	w.issueCode(t, *p, account.ForAddress)
	guess := account.Guess{Purpose: account.ForAddress, Subject: p.account.ID, Visitor: "visitor", Code: p.code}
	require.NoError(t, w.db.Accounts.RedeemAddress(t.Context(), guess, time.Now()))
	_, err = w.db.Accounts.OpenSession(t.Context(), account.NewSession{AccountID: p.account.ID, Token: p.session, Provider: account.ByX}, time.Now())
	require.NoError(t, err)
}

// issueCode writes an e-mail with a person's code, as the API does.
func (w *world) issueCode(t *testing.T, p person, purpose account.Purpose) (letterID string) {
	t.Helper()
	letterID, err := w.db.Accounts.IssueCode(t.Context(), account.NewCode{
		Purpose: purpose, Subject: p.account.ID, Visitor: "visitor", Account: &p.account, Address: p.address, Code: p.code,
		Facts: map[string]string{"Code": p.code, "Minutes": "10", "Site": site, "Where": "Firefox on Linux"},
	}, time.Now())
	require.NoError(t, err)
	return letterID
}
