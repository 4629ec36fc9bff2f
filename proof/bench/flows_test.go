package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheStandInKeepsAnswersBackOnce(t *testing.T) {
	t.Parallel()
	for name, taken := range map[string]bool{"taken": true, "lost": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var heard atomic.Int64
			x := &xStandIn{came: map[string]time.Time{}, held: map[string]hold{}}
			server := httptest.NewServer(x.watched(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				heard.Add(1)
				w.WriteHeader(http.StatusCreated)
			})))
			t.Cleanup(server.Close)
			asked := x.keep("hello", taken)

			ctx, leave := context.WithCancel(t.Context())
			unanswered := make(chan error, 1)
			go func() { unanswered <- tweet(ctx, server.URL) }()
			<-asked
			leave()
			require.ErrorIs(t, <-unanswered, context.Canceled)
			require.Equal(t, taken, heard.Load() == 1)
			first := x.when("hello")
			require.False(t, first.IsZero())

			require.NoError(t, tweet(t.Context(), server.URL), "the next one is answered")
			require.True(t, x.when("hello").After(first))
		})
	}
}

func tweet(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/2/tweets", strings.NewReader(`{"text":"hello"}`))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func TestLatenessIsWhatXSaw(t *testing.T) {
	t.Parallel()
	x := &xStandIn{came: map[string]time.Time{}}
	due := time.Now()
	d := dues{posting: &posting{x: x}, at: map[string]time.Time{"one": due, "two": due}}
	x.came["one"], x.came["two"] = due.Add(time.Millisecond), due.Add(time.Second)
	late, err := d.arrive(t.Context())
	require.NoError(t, err)
	require.ElementsMatch(t, []time.Duration{time.Millisecond, time.Second}, late)

	x.came["two"] = due.Add(-time.Millisecond)
	_, err = d.arrive(t.Context())
	require.ErrorContains(t, err, "too early")
}
