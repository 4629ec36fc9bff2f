package journey_test

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/proto"

	"customerzero/workflows"
)

// The keys to X. They may be told to X, and to nobody else.
const (
	consumerKey    = "canary-consumer-key"
	consumerSecret = "canary-consumer-secret"
	accessToken    = "4242-canary-access-token"
	accessSecret   = "canary-access-secret"
)

var secrets = []string{consumerKey, consumerSecret, accessToken, accessSecret}

// transcript keeps what is written to it.
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

// keepsSecrets sees that no history of the world, and no line logged so far, tells a
// secret. It runs after every journey, when t.Context has ended.
func (w *world) keepsSecrets(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	histories := w.histories(ctx, t)
	for _, secret := range secrets {
		require.False(t, said.holds(secret), "the log tells %s", secret)
		require.False(t, mentions(t, histories, secret), "a history tells %s", secret)
	}
}

// mentions looks for a word in histories. Their payloads are JSON, which protobuf keeps as
// it is.
func mentions(t *testing.T, histories []*history.History, word string) bool {
	t.Helper()
	for _, h := range histories {
		wire, err := proto.Marshal(h)
		require.NoError(t, err)
		if bytes.Contains(wire, []byte(word)) {
			return true
		}
	}
	return false
}

// What the journeys do not find could have been looked for in the wrong place.
func TestSecretsAreLookedForWhereTheyWouldBe(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		p := w.schedule(t, "before", time.Hour)
		require.NoError(t, w.runs.EditPost(t.Context(), p, workflows.EditOrder{Text: "a text in an order"}))
		histories := w.history(t.Context(), t, workflows.PostID(p.ID))
		require.True(t, mentions(t, []*history.History{histories}, "a text in an order"))
		require.True(t, said.holds("Started Worker"), "the SDK's log is captured")
	})
}
