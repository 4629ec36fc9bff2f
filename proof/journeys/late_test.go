package journeys_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/llm"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/pricing"
	xsandbox "customerzero/internal/sandbox/x"
)

// X takes a post, does not say so, and shows it only when we have looked twice and sent it again: X
// knows its own texts, so it is there once.
// Proves: F10
func TestAPostThatXShowsLateIsThereOnce(t *testing.T) {
	t.Parallel()
	each(t, brief, func(t *testing.T, w *world) {
		hides := 2*w.runs.Timing.Settle + 2*time.Second
		w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.Late, Times: 1, Delay: hides})
		p := w.schedule(t, "wait for it", 0)
		w.ends(t, p.ID, post.StatusPublished)
		require.Len(t, w.x.Tweets(), 1)
		w.holds(t, 1, 0)
	})
}

// A founder takes the bot's tokens away while X has the call and does not answer: nobody can look, so
// the post waits for somebody who can, and is not sent blindly.
// Proves: F33
func TestTokensAreTakenAwayWhileAPostIsOnItsWay(t *testing.T) {
	t.Parallel()
	each(t, brief, func(t *testing.T, w *world) {
		w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.HangAfter, Times: 1})
		p := w.schedule(t, "caught in between", 0)
		require.Eventually(t, func() bool { return w.sends.Load() == 1 }, patience, time.Millisecond)
		w.disconnect(t)
		doubted := w.becomes(t, p.ID, post.StatusUnknown)
		require.NotEmpty(t, doubted.Reason)
		w.holds(t, 0, 1)
		other := w.schedule(t, "without tokens", 0)
		eventually(t, func(c *assert.CollectT) {
			waits, err := w.db.Posts.Post(t.Context(), other.ID)
			require.NoError(c, err)
			require.Equal(c, post.CodeNotConnected, waits.Code)
		})
		require.EqualValues(t, 1, w.sends.Load(), "the tokens that were taken away are of no use any more")
		eventually(t, func(c *assert.CollectT) { // the row is a little ahead of its run
			require.NoError(c, w.runs.CancelPost(t.Context(), other))
		})

		require.Equal(t, bot.Current, w.connect(t, ownTokens).State)
		eventually(t, func(c *assert.CollectT) {
			require.NoError(c, w.runs.RetryPost(t.Context(), w.row(t, p.ID)))
		})
		w.ends(t, p.ID, post.StatusPublished)
		w.isPublic(t, "caught in between", 1)
	})
}

// hangs is a model's server that takes a question and says nothing.
func hangs(t *testing.T) (models *llm.Models, asked *atomic.Int32) {
	t.Helper()
	asked, over := &atomic.Int32{}, make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(over) })
	models, err := llm.New(llm.Config{Models: []string{"ollama:slow"}, OllamaHost: server.URL, Timeout: time.Hour})
	require.NoError(t, err)
	return models, asked
}

// Whoever wants to buy waits for a model for as long as is promised, and then our rules decide.
// Proves: F20
func TestABuyerDoesNotWaitForAModelThatHangs(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		models, asked := hangs(t)
		w.shop.models = &thinker{Models: models}
		w.stopWorker()
		w.startWorker(t)
		began := time.Now()
		r := w.want(t) // would wait for an hour
		require.GreaterOrEqual(t, time.Since(began), pricing.ModelPatience)
		require.Positive(t, asked.Load())
		require.Equal(t, pricing.ByRules, r.Decision.Source)
		require.Equal(t, string(model.TimedOut), r.Decision.Fallback)
		require.Equal(t, checkout.Open, r.State, "there is a page to pay")
		require.NoError(t, w.runs.CancelCheckout(t.Context(), r.ID))
		require.Equal(t, checkout.Cancelled, w.ended(t, r.ID).State)
		w.nothingRedeemable(t)
	})
}
