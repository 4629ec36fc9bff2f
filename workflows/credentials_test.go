package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/post"
	"customerzero/internal/store/storetest"
	"customerzero/workflows"
)

// owners is a fake X that identifies the owner of tokens. It takes a script of answers.
type owners struct {
	user    account.XUser
	answers []error // one per call; then success
	always  error   // overrides answers
	asked   int
}

func (o *owners) Owner(context.Context, bot.Tokens) (account.XUser, error) {
	o.asked++
	if o.always != nil {
		return account.XUser{}, o.always
	}
	if o.asked <= len(o.answers) {
		return account.XUser{}, o.answers[o.asked-1]
	}
	return o.user, nil
}

// waker records signaled posts, and may fail at first.
type waker struct {
	fails int
	woken []string
}

func (w *waker) WakePost(_ context.Context, p post.Post) error {
	if w.fails--; w.fails >= 0 {
		return errors.New("no Temporal")
	}
	w.woken = append(w.woken, p.ID)
	return nil
}

var (
	unauthorized = &post.XError{Class: post.AccountRefused, Status: 401, Code: "x_bad_token", Message: "X does not accept the bot's keys."}
	unsettling   = &post.XError{Class: post.Unclear, Code: "x_timeout", Message: "X did not answer in time."}
	wait15       = &post.XError{Class: post.RateLimited, Code: "x_rate_limited", Message: "X asks us to wait.", RetryAt: begin.Add(15 * time.Minute)}
	theBot       = account.XUser{ID: "4242", Handle: "bot"}
)

// attempt is an attempt to connect the bot while another connection exists.
type attempt struct {
	*stage
	x      *owners
	runs   *waker
	before string // the connection in use
	row    bot.Connection
}

func newAttempt(t *testing.T, x owners) *attempt {
	a := &attempt{stage: newStage(t), x: &x, runs: &waker{}}
	a.before = storetest.Connection(t, a.db)
	a.row = must(a.db.Bot.ProposeConnection(t.Context(), bot.Tokens{AccessToken: "4242-new", AccessSecret: "new secret"}, nil, begin))
	a.env.RegisterActivity(&activities.Credentials{Store: a.db.Bot, Diagnoses: a.db.Diagnoses, Audits: a.db.AuditLog, Posts: a.db.Posts, X: a.x, Runs: a.runs, Now: a.env.Now})
	return a
}

func (a *attempt) run(t *testing.T) workflows.CredentialsResult {
	t.Helper()
	result := run[workflows.CredentialsResult](t, a.env, workflows.Credentials, workflows.CredentialsInput{ConnectionID: a.row.ID})
	a.row = must(a.db.Bot.ConnectionByID(t.Context(), a.row.ID))
	require.Equal(t, workflows.CredentialsResult{State: a.row.State, Code: a.row.Code}, result, "the row and the run tell the same")
	require.Equal(t, a.row.State == bot.Refused, a.row.SecretID == nil, "what was refused is forgotten")
	require.Equal(t, a.row.State == bot.Refused, a.row.Reason != "", "a refusal has its reason")
	require.NotEmpty(t, a.row.RunID)
	return result
}

func (a *attempt) inUse(t *testing.T) string { return must(a.db.Bot.Connection(t.Context())).ID }

func TestCredentialsEndings(t *testing.T) {
	t.Parallel()
	stranger := account.XUser{ID: "7", Handle: "stranger"}
	for name, tt := range map[string]struct {
		x       owners
		network network
		before  func(t *testing.T, a *attempt)
		state   bot.State
		code    string
	}{
		"the bot's own: current":                                {x: owners{user: theBot}, state: bot.Current},
		"X rejects the tokens: refused":                         {x: owners{always: unauthorized}, state: bot.Refused, code: "x_bad_token"},
		"X rejects the request: refused":                        {x: owners{always: refused}, state: bot.Refused, code: "x_refused"},
		"X is not reached: refused":                             {x: owners{always: notReached}, state: bot.Refused, code: "x_unreachable"},
		"X does not answer: refused":                            {x: owners{always: unsettling}, state: bot.Refused, code: "x_unreachable"},
		"X requires a longer wait than the founder's: given up": {x: owners{always: wait15}, state: bot.Refused, code: "x_unreachable"},
		"X is reached at the third attempt: current":            {x: owners{user: theBot, answers: []error{notReached, unsettling}}, state: bot.Current},
		"another account's: current":                            {x: owners{user: stranger}, state: bot.Current},
		"another account's, with an unresolved post: conflict":  {x: owners{user: stranger}, before: unsettled, state: bot.Refused, code: "conflict"},
		"the same account's, with an unresolved post: current":  {x: owners{user: theBot}, before: unsettled, state: bot.Current},
		"the answer is lost: current":                           {x: owners{user: theBot}, network: network{loses: "TryConnection", times: 1}, state: bot.Current},
		"every answer is lost: current":                         {x: owners{user: theBot}, network: network{loses: "TryConnection"}, state: bot.Current},
		"no worker runs it: refused":                            {x: owners{user: theBot}, network: network{loses: "TryConnection", asks: true}, state: bot.Refused, code: "x_unreachable"},
		"the refusal is stored twice: refused once":             {x: owners{always: notReached}, network: network{loses: "GiveUpConnection", times: 2}, state: bot.Refused, code: "x_unreachable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAttempt(t, tt.x)
			if tt.before != nil {
				tt.before(t, a)
			}
			*a.network = tt.network
			require.Equal(t, workflows.CredentialsResult{State: tt.state, Code: tt.code}, a.run(t))
			if tt.state == bot.Current {
				require.Equal(t, a.row.ID, a.inUse(t))
				require.Equal(t, []string{a.x.user.ID, a.x.user.Handle}, []string{a.row.UserID, a.row.Username})
			} else {
				require.Equal(t, a.before, a.inUse(t), "the old connection stays current")
			}
		})
	}
}

// unsettled leaves a post whose outcome with the old account is unknown.
func unsettled(t *testing.T, a *attempt) {
	a.write(t, "p1", begin)
	must(a.db.Posts.ArmPost(t.Context(), "p1", 1, a.before, begin))
}

func (a *attempt) write(t *testing.T, id string, at time.Time) {
	must(a.db.Posts.CreatePost(t.Context(), post.Post{ID: id, Text: "text of " + id, Status: post.StatusScheduled, ScheduledAt: at}, begin))
}

// TestCredentialsWakePostsThatAreDue checks that only due posts are signaled; the others have timers.
func TestCredentialsWakePostsThatAreDue(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		x     owners
		fails int
		woken []string
	}{
		"connected: those that are due":                    {x: owners{user: theBot}, woken: []string{"due", "late"}},
		"Temporal is unavailable at first: none is missed": {x: owners{user: theBot}, fails: 3, woken: []string{"due", "late"}},
		"refused: none": {x: owners{always: unauthorized}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAttempt(t, tt.x)
			a.runs.fails = tt.fails
			a.write(t, "due", begin)
			a.write(t, "late", begin.Add(-time.Hour))
			a.write(t, "later", begin.Add(time.Hour))
			for _, id := range []string{"due", "late"} {
				must(a.db.Posts.DelayPost(t.Context(), id, post.CodeNotConnected, post.NotConnectedReason, begin.Add(post.NotConnectedWait)))
			}
			a.run(t)
			require.ElementsMatch(t, tt.woken, a.runs.woken)
			waits := must(a.db.Posts.Post(t.Context(), "due"))
			require.Equal(t, tt.woken == nil, waits.Code == post.CodeNotConnected, "its card says so until then")
		})
	}
}

func TestDecidedCredentialsAreFinal(t *testing.T) {
	t.Parallel()
	a := newAttempt(t, owners{user: theBot})
	must(a.db.Bot.RefuseConnection(t.Context(), a.row.ID, "x_bad_token", "by an earlier run", "run", begin))
	require.Equal(t, workflows.CredentialsResult{State: bot.Refused, Code: "x_bad_token"}, a.run(t))
	require.Zero(t, a.x.asked, "X bills each call")
}

// TestCredentialsEndWithinTheRequest checks that the founder's request, which ends after a minute, gets
// an answer.
func TestCredentialsEndWithinTheRequest(t *testing.T) {
	t.Parallel()
	a := newAttempt(t, owners{})
	const xSilent = 10 * time.Second // the client's timeout
	a.env.OnActivity("TryConnection", mock.Anything, mock.Anything).After(xSilent).
		Return(activities.ConnectionState{}, errors.New("X did not answer in time"))
	require.Equal(t, workflows.CredentialsResult{State: bot.Refused, Code: "x_unreachable"}, a.run(t))
	require.Less(t, a.env.Now().Sub(begin), 55*time.Second)
}

// change is an attempt to change the app's keys while others are in use.
type change struct {
	*stage
	x           *probedApp
	before, row bot.ProviderKeys
	decided     *reply
}

func newChange(t *testing.T, changes ...func(*probedApp)) *change {
	t.Helper()
	c := &change{stage: newStage(t), x: wellProbed(changes...)}
	require.NoError(t, c.db.Bot.SeedKeys(t.Context(), bot.Keys{ConsumerKey: "old", ConsumerSecret: "old secret"}, begin.AddDate(0, -1, 0)))
	before := must(c.db.Bot.ProviderKeys(t.Context()))
	c.before = *before
	c.row = must(c.db.Bot.ProposeKeys(t.Context(), bot.Keys{ConsumerKey: "new", ConsumerSecret: "new secret"}, nil, begin))
	c.env.RegisterWorkflow(workflows.OAuthDiagnosis)
	c.env.RegisterActivity(c.x.activities(c.stage))
	c.env.RegisterActivity(&activities.Credentials{Store: c.db.Bot, Diagnoses: c.db.Diagnoses, Audits: c.db.AuditLog, Posts: c.db.Posts, Now: c.env.Now})
	return c
}

func (c *change) run(t *testing.T) workflows.ProviderKeysResult {
	t.Helper()
	c.after(0, func() { c.decided = c.order(workflows.UpdateDecide) })
	result := run[workflows.ProviderKeysResult](t, c.env, workflows.ProviderKeys, workflows.ProviderKeysInput{ProviderKeyID: c.row.ID})
	require.Equal(t, result, c.decided.answer)
	c.before, c.row = c.keys(t, c.before.ID), c.keys(t, c.row.ID)
	return result
}

func (c *change) keys(t *testing.T, id string) bot.ProviderKeys {
	return must(c.db.Bot.KeysByID(t.Context(), id))
}

func (c *change) inUse(t *testing.T) string { return must(c.db.Bot.ProviderKeys(t.Context())).ID }

// noted is the audit entry of the change.
func (c *change) noted(t *testing.T) audit.Entry {
	t.Helper()
	entries, total, err := c.db.AuditLog.AuditEntries(t.Context(), 10, 0)
	require.NoError(t, err)
	require.Equal(t, 1, total)
	return entries[0]
}

func TestProviderKeysThatWorkAreUsed(t *testing.T) {
	t.Parallel()
	c := newChange(t)
	c.after(time.Minute, func() {
		require.True(t, c.decided.done, "whoever sent them does not wait for the day to pass")
		require.Equal(t, c.row.ID, c.inUse(t))
	})
	day := bot.KeepPrevious
	c.after(day-time.Minute, func() {
		require.Equal(t, bot.KeysPrevious, c.keys(t, c.before.ID).State, "not dropped before the day is over")
	})
	require.Equal(t, workflows.ProviderKeysResult{State: bot.KeysCurrent}, c.run(t))
	require.Equal(t, bot.KeysDiscarded, c.before.State)
	require.Nil(t, c.before.SecretID, "and forgotten")
	require.GreaterOrEqual(t, c.env.Now().Sub(begin), day)
	require.Less(t, c.env.Now().Sub(begin), day+time.Minute)
	require.Equal(t, []string{c.row.ID, c.row.ID, c.row.ID, c.row.ID}, c.x.tried, "the new keys are tried, not those in use")
	entry := c.noted(t)
	require.Equal(t, audit.Done, entry.Outcome)
	require.Contains(t, entry.Detail, c.row.Fingerprint)
	require.NotEmpty(t, entry.RunID)
}

func TestProviderKeysThatDoNotWorkAreRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change  func(*probedApp)
		network network
		code    string
		says    string
	}{
		"X refuses them":                   {change: func(a *probedApp) { a.token = diagnostic.Answer{Status: 401, Code: 32} }, code: "keys_refused", says: "Create a new API Key"},
		"X is down":                        {change: func(a *probedApp) { a.token = diagnostic.Answer{Status: 503} }, code: "page_down", says: "X's API is down"},
		"they are too short":               {change: func(a *probedApp) { a.keys.ConsumerKey = "short" }, code: "key_length", says: "has 5 characters"},
		"the bot's tokens do not fit them": {change: func(a *probedApp) { a.account = diagnostic.Answer{Status: 401} }, code: "token_refused", says: "Create a new Access Token"},
		"the diagnosis fails":              {network: network{loses: "CheckRequestToken"}, code: "diagnosis_failed", says: "could not run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChange(t, tt.change)
			*c.network = tt.network
			require.Equal(t, workflows.ProviderKeysResult{State: bot.KeysRefused, Code: tt.code}, c.run(t))
			require.Contains(t, c.row.Reason, tt.says)
			require.Nil(t, c.row.SecretID)
			require.Equal(t, c.before.ID, c.inUse(t))
			require.Less(t, c.env.Now().Sub(begin), 2*time.Minute, "there is nothing to drop")
			entry := c.noted(t)
			require.Equal(t, audit.Refused, entry.Outcome)
			require.Contains(t, entry.Detail, tt.says)
		})
	}
}

func TestProviderKeysWithoutADiagnosisAreRefused(t *testing.T) {
	t.Parallel()
	c := newChange(t)
	c.env.OnWorkflow(workflows.OAuthDiagnosis, mock.Anything, mock.Anything).
		Return(workflows.OAuthDiagnosisResult{}, errors.New("terminated"))
	require.Equal(t, workflows.ProviderKeysResult{State: bot.KeysRefused, Code: "diagnosis_failed"}, c.run(t))
	require.Equal(t, c.before.ID, c.inUse(t))
}

func TestProviderKeysThatAreRolledBackWithinTheDay(t *testing.T) {
	t.Parallel()
	c := newChange(t)
	back := 6 * time.Hour
	c.after(back, func() {
		must(c.db.Bot.RollBackKeys(t.Context(), c.env.Now()))
	})
	c.run(t)
	require.Equal(t, c.before.ID, c.inUse(t))
	require.Equal(t, bot.KeysCurrent, c.before.State)
	require.NotNil(t, c.before.SecretID)
	require.Equal(t, bot.KeysPrevious, c.row.State, "the way back to them has its own day")
	require.WithinDuration(t, begin.Add(back+bot.KeepPrevious), *c.row.EndsAt, time.Minute)
}

// Proves: F6
func TestProviderKeysSurviveLostAnswers(t *testing.T) {
	t.Parallel()
	for _, activity := range []string{"OpenDiagnosis", "DecideKeys", "DropKeys"} {
		t.Run(activity, func(t *testing.T) {
			t.Parallel()
			c := newChange(t)
			*c.network = network{loses: activity, times: 3}
			require.Equal(t, workflows.ProviderKeysResult{State: bot.KeysCurrent}, c.run(t))
			require.Equal(t, bot.KeysDiscarded, c.before.State)
			c.noted(t)
		})
	}
}
