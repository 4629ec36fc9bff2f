package social_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/account"
	"customerzero/internal/diagnosis"
	"customerzero/internal/sandbox/x"
	"customerzero/internal/social"
)

// breakage is a way in which the sandbox is broken, and what that looks like from here.
type breakage struct {
	fault                 x.Fault
	requestToken, account string           // the codes of the findings
	trouble               account.XTrouble // of a login; empty: it works
}

var breakages = map[string]breakage{
	"it takes no more calls":          {x.RateLimit, "rate_limited", "rate_limited", "refused"},
	"it knows neither keys nor token": {x.Unauthorized, "keys_refused", "token_refused", "refused"},
	"it does not know the keys":       {x.BadApp, "keys_refused", "token_refused", "refused"},
	"the clocks differ":               {x.Clock, "clock_skew", "clock_skew", "refused"},
	"the app is suspended":            {x.SuspendedApp, "app_suspended", "app_suspended", "refused"},
	"the app is not enrolled":         {x.NotEnrolled, "ok", "not_enrolled", ""},
	"the callback is not listed":      {x.CallbackRefused, "callback_refused", "ok", "refused"},
	"the callback is not confirmed":   {x.Unconfirmed, "unconfirmed", "ok", "nonsense"},
	"the credits are used up":         {x.NoCredits, "no_credits", "no_credits", "refused"},
	"the app may only read, it says":  {x.Forbidden, "read_only", "read_only", "refused"},
	"the token may only read":         {x.ReadOnly, "ok", "read_only", ""},
	"it is over capacity":             {x.Unavailable, "page_down", "page_down", "down"},
	"it is over capacity, and did it": {x.UnavailableAfter, "page_down", "page_down", "down"},
	"it hangs up":                     {x.DropBefore, "unreachable", "unreachable", "down"},
	"it hangs up, and did it":         {x.DropAfter, "unreachable", "unreachable", "down"},
	"it falls silent":                 {x.HangBefore, "unreachable_timeout", "unreachable_timeout", "down"},
	"it falls silent, and did it":     {x.HangAfter, "unreachable_timeout", "unreachable_timeout", "down"},
	"it falls silent for a while":     {x.Late, "unreachable_timeout", "unreachable_timeout", "down"},
	"its answers are cut":             {x.Truncate, "nonsense", "nonsense", "nonsense"},
	"another page answers":            {x.Garbage, "nonsense", "nonsense", "nonsense"},
	"it is slow, within our patience": {x.Slow, "ok", "ok", ""},
}

func TestDiagnosisKnowsEveryFault(t *testing.T) {
	t.Parallel()
	var known []x.Fault
	for _, b := range breakages {
		known = append(known, b.fault)
	}
	require.ElementsMatch(t, x.AllFaults, known)
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
			require.Equal(t, tt.requestToken, diagnosis.CheckRequestToken(asked).Code)
			shown := s.app.ProbeAccount(t.Context(), secrets[2], secrets[3])
			require.Equal(t, tt.account, diagnosis.CheckAccount(shown).Code)
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
			if slices.Contains([]x.Fault{x.CallbackRefused, x.Unconfirmed}, tt.fault) {
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
			require.NoError(t, s.x.SetFaults(x.Faults{Rules: []x.Rule{{On: x.OnAny, Fault: x.Clock, Delay: delay}}}))
			asked := diagnosis.CheckRequestToken(s.app.ProbeRequestToken(t.Context(), backURL))
			require.Equal(t, "clock_skew", asked.Code)
			require.Contains(t, asked.Problem, says)
			// API v2 does not say that it is the time: its Date does.
			shown := diagnosis.CheckAccount(s.app.ProbeAccount(t.Context(), secrets[2], secrets[3]))
			require.Equal(t, "clock_skew", shown.Code)
			require.Contains(t, shown.Problem, says)
		})
	}
}

// breakDown breaks every call that the fault is about. Patience is short where there will
// be no answer.
func (s *stage) breakDown(t *testing.T, fault x.Fault) {
	t.Helper()
	rule := x.Rule{On: x.OnAny, Fault: fault}
	switch fault {
	case x.HangBefore, x.HangAfter, x.Late:
		s.app = newApp(s.url, onTime, func(c *social.AppConfig) { c.Timeout = 300 * time.Millisecond })
	case x.Slow:
		rule.Delay = 10 * time.Millisecond
	default:
	}
	require.NoError(t, s.x.SetFaults(x.Faults{Rules: []x.Rule{rule}}))
}
