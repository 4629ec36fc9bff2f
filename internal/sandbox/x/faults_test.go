package x

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

const faultsPath = "/sandbox/x/faults"

func (w *world) fault(rules ...Rule) {
	w.t.Helper()
	require.NoError(w.t, w.sandbox.SetFaults(Faults{Seed: 1, Rules: rules}))
}

// Proves: F10
func TestALateTweetIsSeenLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnPost, Fault: Late, Delay: time.Minute, Times: 1})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := w.client.Do(w.request(http.MethodPost, "/2/tweets", `{"text":"hello"}`).WithContext(ctx))
		ended <- err
	}()
	require.Eventually(t, func() bool { return len(w.sandbox.Tweets()) == 1 }, testwait.Limit, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)

	id := w.sandbox.Tweets()[0].ID
	seen := func() [2]bool {
		_, found := w.sandbox.state.tweet(id)
		return [2]bool{found, len(w.sandbox.state.visible()) == 1}
	}
	w.clock.Advance(time.Minute - time.Nanosecond)
	require.Equal(t, [2]bool{false, false}, seen())
	require.Equal(t, http.StatusForbidden, w.call(http.MethodPost, "/2/tweets", `{"text":"hello"}`).status, "X already has the text")
	w.clock.Advance(time.Nanosecond)
	require.Equal(t, [2]bool{true, true}, seen())
}

func TestRulesOverHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for rule, status := range map[string]int{
		`"on":"any","fault":"callback_refused"`: http.StatusOK,
		`"on":"post","fault":"explode"`:         http.StatusBadRequest,
		`"on":"delete","fault":"slow"`:          http.StatusBadRequest, // deletions are no separate target
	} {
		answer := w.send(http.MethodPut, faultsPath, `{"rules":[{`+rule+`}]}`)
		require.Equal(t, status, answer.status, answer.body)
	}
}
