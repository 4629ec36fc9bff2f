package workflows_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/diagnostic"
	"customerzero/workflows"
)

// change is a founder's attempt to change the app's keys, beside those in use.
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
	before, err := c.db.Bot.ProviderKeys(t.Context())
	require.NoError(t, err)
	c.before = *before
	c.row, err = c.db.Bot.ProposeKeys(t.Context(), bot.Keys{ConsumerKey: "new", ConsumerSecret: "new secret"}, nil, begin)
	require.NoError(t, err)
	c.env.RegisterWorkflow(workflows.OAuthDiagnosis)
	c.env.RegisterActivity(c.x.activities(c.stage))
	c.env.RegisterActivity(&activities.Credentials{Store: c.db.Bot, Diagnoses: c.db.Diagnoses, Audits: c.db.AuditLog, Posts: c.db.Posts, Now: c.env.Now})
	return c
}

func (c *change) run(t *testing.T) workflows.ProviderKeysResult {
	t.Helper()
	c.after(0, func() { c.decided = c.order(t, workflows.UpdateDecide) })
	c.env.ExecuteWorkflow(workflows.ProviderKeys, workflows.ProviderKeysInput{ProviderKeyID: c.row.ID})
	require.NoError(t, c.env.GetWorkflowError())
	var result workflows.ProviderKeysResult
	require.NoError(t, c.env.GetWorkflowResult(&result))
	require.Equal(t, activities.ProviderKeysState(result), c.decided.answer)
	c.before, c.row = c.keys(t, c.before.ID), c.keys(t, c.row.ID)
	return result
}

func (c *change) keys(t *testing.T, id string) bot.ProviderKeys {
	t.Helper()
	k, err := c.db.Bot.KeysByID(t.Context(), id)
	require.NoError(t, err)
	return k
}

// inUse names the keys that the product uses.
func (c *change) inUse(t *testing.T) string {
	t.Helper()
	k, err := c.db.Bot.ProviderKeys(t.Context())
	require.NoError(t, err)
	return k.ID
}

// noted is the one line that the founders read of it.
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
	require.Equal(t, bot.KeysDropped, c.before.State)
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
		"X refuses them":                    {change: func(a *probedApp) { a.token = diagnostic.Answer{Status: 401, Code: 32} }, code: "keys_refused", says: "Make a new API Key"},
		"X is down":                         {change: func(a *probedApp) { a.token = diagnostic.Answer{Status: 503} }, code: "page_down", says: "X's API is down"},
		"they cannot be keys of X":          {change: func(a *probedApp) { a.keys.ConsumerKey = "short" }, code: "key_length", says: "has 5 characters"},
		"the bot's tokens do not fit them":  {change: func(a *probedApp) { a.account = diagnostic.Answer{Status: 401} }, code: "token_refused", says: "Make a new Access Token"},
		"the diagnosis cannot be completed": {network: network{loses: "CheckRequestToken"}, code: "diagnosis_failed", says: "could not be run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChange(t, func(a *probedApp) {
				if tt.change != nil {
					tt.change(a)
				}
			})
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
		Return(workflows.DiagnosisResult{}, errors.New("ended by force"))
	require.Equal(t, workflows.ProviderKeysResult{State: bot.KeysRefused, Code: "diagnosis_failed"}, c.run(t))
	require.Equal(t, c.before.ID, c.inUse(t))
}

func TestProviderKeysThatAreRolledBackWithinTheDay(t *testing.T) {
	t.Parallel()
	c := newChange(t)
	back := 6 * time.Hour
	c.after(back, func() {
		_, err := c.db.Bot.RollBackKeys(t.Context(), c.env.Now())
		require.NoError(t, err)
	})
	c.run(t)
	require.Equal(t, c.before.ID, c.inUse(t))
	require.Equal(t, bot.KeysCurrent, c.before.State)
	require.NotNil(t, c.before.SecretID)
	require.Equal(t, bot.KeysPrevious, c.row.State, "the way back to them has its own day")
	require.WithinDuration(t, begin.Add(back+bot.KeepPrevious), *c.row.EndsAt, time.Minute)
}

// Proves: F6
func TestProviderKeysAreDecidedOnceThoughAnswersAreLost(t *testing.T) {
	t.Parallel()
	for _, activity := range []string{"OpenDiagnosis", "DecideKeys", "DropKeys"} {
		t.Run(activity, func(t *testing.T) {
			t.Parallel()
			c := newChange(t)
			*c.network = network{loses: activity, times: 3}
			require.Equal(t, workflows.ProviderKeysResult{State: bot.KeysCurrent}, c.run(t))
			require.Equal(t, bot.KeysDropped, c.before.State)
			c.noted(t)
		})
	}
}
