package chaos

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
)

// stillOpen is a book with one run that does not end.
type stillOpen struct {
	httpapi.ChaosStore
	looks int
}

func (b *stillOpen) ChaosRun(context.Context, string) (chaos.Run, error) {
	b.looks++
	return chaos.Run{ID: "r", Stage: chaos.Requested}, nil
}

// Proves: F30
func TestAStreamEndsAfterTwoMinutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		book, rec, began := &stillOpen{}, httptest.NewRecorder(), time.Now()
		f := follower{API: &API{Deps: httpapi.Deps{Chaos: book}}, id: "r", out: rec}
		f.follow(t.Context())
		require.Equal(t, 2*time.Minute, time.Since(began))
		require.Equal(t, 1, strings.Count(rec.Body.String(), "event:event"), "what has not changed is not told again")
		require.InDelta(t, 11, strings.Count(rec.Body.String(), ": still here\n\n"), 1, "a sign of life every ten seconds")
		require.InDelta(t, 480, book.looks, 15, "four looks a second")
	})
}

func TestAStreamEndsWithItsClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, leave := context.WithTimeout(t.Context(), 7*time.Second)
		defer leave()
		f := follower{API: &API{Deps: httpapi.Deps{Chaos: &stillOpen{}}}, id: "r", out: httptest.NewRecorder()}
		f.follow(ctx)
		require.Equal(t, 7*time.Second, time.Since(began))
	})
}
