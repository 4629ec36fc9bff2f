package e2e

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/proto"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// The keys of X. They may be sent to X only.
const (
	consumerKey    = "canary-consumer-key-of-x0"
	consumerSecret = "canary-consumer-secret-of-the-app-at-x-0123456789a"
	accessToken    = "4242-canary-access-token"
	accessSecret   = "canary-access-secret"
)

// secrets are the secrets of all worlds; each world plants more.
var secrets = []string{consumerKey, consumerSecret, accessToken, accessSecret}

// transcript is a writer that can be searched.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *transcript) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(line)
}

func (s *transcript) holds(word string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Contains(s.text.Bytes(), []byte(word))
}

// codeOf returns the code of an error, and adds its text to the captured log.
func codeOf(err error) problem.Code {
	if err != nil {
		_, _ = logged.Write([]byte("an error was returned: " + err.Error() + "\n"))
	}
	return problem.CodeOf(err)
}

// keepsSecrets verifies that no history of the world, no log line, no error and no span contains a secret. It runs
// after every test, when t.Context has ended.
func (w *world) keepsSecrets(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	histories := w.histories(ctx, t)
	for _, secret := range append(w.planted, secrets...) {
		require.Greater(t, len(secret), 12, "a shorter text may occur by chance")
		for _, written := range []string{secret, url.QueryEscape(secret)} {
			require.False(t, logged.holds(written), "the log or an error contains %s", secret)
			require.False(t, mentions(t, histories, written), "a history contains %s", secret)
			require.False(t, traced.Holds(written), "a span contains %s", secret)
		}
	}
}

// mentions searches histories. Their payloads are JSON, which protobuf stores unchanged.
func mentions(t *testing.T, histories []*history.History, word string) bool {
	for _, h := range histories {
		wire, err := proto.Marshal(h)
		require.NoError(t, err)
		if bytes.Contains(wire, []byte(word)) {
			return true
		}
	}
	return false
}

// The search must find texts that are there.
// Proves: F37, V16.2.5
func TestSecretSearchFindsTexts(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		p := w.schedule(t, "before", time.Hour)
		require.NoError(t, w.runs.EditPost(t.Context(), p, workflows.EditCommand{Text: "a text in a command"}))
		histories := []*history.History{w.history(t.Context(), t, workflows.PostID(p.ID))}
		require.True(t, mentions(t, histories, "a text in a command"))
		require.True(t, mentions(t, histories, `"Status":"scheduled"`), "results of activities, local ones included, are readable")
		require.True(t, logged.holds("Started Worker"), "the SDK's log is captured")
		_ = codeOf(errors.New("a text in an error"))
		require.True(t, logged.holds("a text in an error"))
		for _, secret := range []string{w.grace.address, w.grace.code, w.grace.session, w.newcomer.claim} {
			require.Contains(t, w.planted, secret, "every world plants them")
		}
	})
}

// The secrets of a login must be planted, so that they are searched for.
// Proves: F37, S-login-secret
func TestLoginPlantsItsSecrets(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		before := len(w.planted)
		founderLogsIn(t, w)
		require.Len(t, w.planted[before:], 6, "cookie, request token and its secret, verifier, access token and its secret")
		for _, secret := range w.planted[before:] {
			require.NotEmpty(t, secret)
		}
	})
}

// person is a user with an account, whose secrets are planted.
type person struct {
	account account.Account
	address string
	code    string // from an e-mail; unlike a real code, it is unique
	claim   string // token of the activation link
	session string
}

func (w *world) plant(secrets ...string) { w.planted = append(w.planted, secrets...) }

func (w *world) newPerson() person {
	id := xid.New().String()
	p := person{
		address: "canary-" + id + "@example.com", code: "canary-code-" + id, claim: account.NewToken(), session: account.NewToken(),
	}
	w.plant(p.address, p.code, p.claim, p.session)
	return p
}

// populate adds a member, whose welcome is in the outbox, and a founder, who gets e-mails about failed posts.
func (w *world) populate(t *testing.T) {
	w.newcomer, w.grace = w.newPerson(), w.newPerson()
	w.welcome(t, &w.newcomer)
	w.knowFounder(t, &w.grace)
}

func (w *world) welcome(t *testing.T, p *person) {
	require.NoError(t, w.db.Members.AddMember(t.Context(), member.Member{
		ID: "newcomer", Username: "newcomer", UsernameKey: "newcomer", Status: member.StatusActive,
		PaymentCents: member.FoundingFeeCents, JoinedAt: time.Now(),
	}, &account.Welcome{Email: p.address, Token: p.claim, Facts: map[string]string{
		"Name": "Newcomer", "Credits": "90", "Days": "7", "ActivationURL": site + "/claim#" + p.claim,
	}}))
	known := fetch(t, w.db.Accounts.AccountByEmail, p.address)
	p.account = *known
}

// knowFounder confirms the founder's address and opens a session.
func (w *world) knowFounder(t *testing.T, p *person) {
	var err error
	p.account, err = w.db.Accounts.XAccount(t.Context(), founder.ID, founder.Username, time.Now())
	require.NoError(t, err)
	_, err = w.db.Accounts.IssueCode(t.Context(), account.NewCode{
		Purpose: account.ForAddress, Subject: p.account.ID, Account: &p.account, Address: p.address, Code: p.code,
		Facts: map[string]string{"Code": p.code, "Minutes": "10", "Site": site, "Where": "Firefox on Linux"},
	}, time.Now())
	require.NoError(t, err)
	guess := account.Guess{Purpose: account.ForAddress, Subject: p.account.ID, Code: p.code}
	require.NoError(t, w.db.Accounts.RedeemAddress(t.Context(), guess, account.Undo{}, "", time.Now()))
	_, err = w.db.Accounts.OpenSession(t.Context(), account.NewSession{AccountID: p.account.ID, Token: p.session, Provider: account.ByX}, time.Now())
	require.NoError(t, err)
}
