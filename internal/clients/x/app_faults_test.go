package x_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/x"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/diagnostic"
	xsandbox "customerzero/internal/sandbox/x"
)

// breakage is a way in which the sandbox is broken, and what that looks like from here.
type breakage struct {
	fault                 xsandbox.Fault
	requestToken, account string           // the codes of the findings
	trouble               account.XTrouble // of a login; empty: it works
}

var breakages = map[string]breakage{
	"it takes no more calls":          {xsandbox.RateLimit, "rate_limited", "rate_limited", "refused"},
	"it knows neither keys nor token": {xsandbox.Unauthorized, "keys_refused", "token_refused", "refused"},
	"it does not know the keys":       {xsandbox.BadApp, "keys_refused", "token_refused", "refused"},
	"the clocks differ":               {xsandbox.Clock, "clock_skew", "clock_skew", "refused"},
	"the app is suspended":            {xsandbox.SuspendedApp, "app_suspended", "app_suspended", "refused"},
	"the app is not enrolled":         {xsandbox.NotEnrolled, "ok", "not_enrolled", ""},
	"the callback is not listed":      {xsandbox.CallbackRefused, "callback_refused", "ok", "refused"},
	"the callback is not confirmed":   {xsandbox.Unconfirmed, "unconfirmed", "ok", "nonsense"},
	"the credits are used up":         {xsandbox.NoCredits, "no_credits", "no_credits", "refused"},
	"the app may only read, it says":  {xsandbox.Forbidden, "read_only", "read_only", "refused"},
	"the token may only read":         {xsandbox.ReadOnly, "ok", "read_only", ""},
	"it is over capacity":             {xsandbox.Unavailable, "page_down", "page_down", "down"},
	"it is over capacity, and did it": {xsandbox.UnavailableAfter, "page_down", "page_down", "down"},
	"it hangs up":                     {xsandbox.DropBefore, "unreachable", "unreachable", "down"},
	"it hangs up, and did it":         {xsandbox.DropAfter, "unreachable", "unreachable", "down"},
	"it falls silent":                 {xsandbox.HangBefore, "unreachable_timeout", "unreachable_timeout", "down"},
	"it falls silent, and did it":     {xsandbox.HangAfter, "unreachable_timeout", "unreachable_timeout", "down"},
	"it falls silent for a while":     {xsandbox.Late, "unreachable_timeout", "unreachable_timeout", "down"},
	"its answers are cut":             {xsandbox.Truncate, "nonsense", "nonsense", "nonsense"},
	"another page answers":            {xsandbox.Garbage, "nonsense", "nonsense", "nonsense"},
	"it is slow, within our patience": {xsandbox.Slow, "ok", "ok", ""},
}

// Proves: F12
func TestDiagnosisKnowsEveryFault(t *testing.T) {
	t.Parallel()
	var known []xsandbox.Fault
	for _, b := range breakages {
		known = append(known, b.fault)
	}
	require.ElementsMatch(t, xsandbox.AllFaults, known)
}

// TestDiagnosisOfABrokenX: whatever is broken at X, what it shows over HTTP leads to the
// remedy that helps.
func TestDiagnosisOfABrokenX(t *testing.T) {
	t.Parallel()
	for name, tt := range breakages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.breakDown(t, tt.fault)
			asked := s.app.ProbeRequestToken(t.Context(), backURL)
			require.Equal(t, tt.requestToken, diagnostic.CheckRequestToken(asked).Code)
			shown := s.app.ProbeAccount(t.Context(), secrets[2], secrets[3])
			require.Equal(t, tt.account, diagnostic.CheckAccount(shown).Code)
		})
	}
}

func TestLoginAtABrokenX(t *testing.T) {
	t.Parallel()
	for name, tt := range breakages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			token := s.begin(t)
			verifier := s.allow(t, token.Token, "7")
			s.breakDown(t, tt.fault)

			_, err := s.app.RequestToken(t.Context(), backURL)
			requireTrouble(t, tt.trouble, err)
			if slices.Contains([]xsandbox.Fault{xsandbox.CallbackRefused, xsandbox.Unconfirmed}, tt.fault) {
				tt.trouble = "" // the callback is no matter any more
			}
			_, err = s.app.Who(t.Context(), token, verifier)
			requireTrouble(t, tt.trouble, err)
		})
	}
}

func requireTrouble(t *testing.T, want account.XTrouble, err error) {
	t.Helper()
	if want == "" {
		require.NoError(t, err)
		return
	}
	require.Equal(t, want, failed(t, err).Trouble)
}

// TestDiagnosisOfAWrongClock: it says by how much, and on which side.
// Proves: F25, S-clock
func TestDiagnosisOfAWrongClock(t *testing.T) {
	t.Parallel()
	for says, delay := range map[string]time.Duration{
		"clock is 6 minutes ahead of X's": -6 * time.Minute,
		"clock is 6 minutes behind X's":   6 * time.Minute,
		"clock is 3 hours behind X's":     3 * time.Hour,
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			require.NoError(t, s.x.SetFaults(xsandbox.Faults{Rules: []xsandbox.Rule{{On: xsandbox.OnAny, Fault: xsandbox.Clock, Delay: delay}}}))
			asked := diagnostic.CheckRequestToken(s.app.ProbeRequestToken(t.Context(), backURL))
			require.Equal(t, "clock_skew", asked.Code)
			require.Contains(t, asked.Problem, says)
			// API v2 does not say that it is the time: its Date does.
			shown := diagnostic.CheckAccount(s.app.ProbeAccount(t.Context(), secrets[2], secrets[3]))
			require.Equal(t, "clock_skew", shown.Code)
			require.Contains(t, shown.Problem, says)
		})
	}
}

// breakDown breaks every call that the fault is about. Patience is short where there will
// be no answer.
func (s *stage) breakDown(t *testing.T, fault xsandbox.Fault) {
	t.Helper()
	rule := xsandbox.Rule{On: xsandbox.OnAny, Fault: fault}
	switch fault {
	case xsandbox.HangBefore, xsandbox.HangAfter, xsandbox.Late:
		s.app = newApp(s.url, onTime, func(c *x.AppConfig) { c.Timeout = 300 * time.Millisecond })
	case xsandbox.Slow:
		rule.Delay = 10 * time.Millisecond
	default:
	}
	require.NoError(t, s.x.SetFaults(xsandbox.Faults{Rules: []xsandbox.Rule{rule}}))
}
