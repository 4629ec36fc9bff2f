package cli_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// leading is a server that sends everybody to another, and counts whom the other met.
func leading(t *testing.T, status int) (address string, met *atomic.Int32) {
	t.Helper()
	met = &atomic.Int32{}
	trap := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		met.Add(1)
		_, _ = w.Write([]byte(`{}`))
	}))
	t.Cleanup(trap.Close)
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, trap.URL+r.URL.Path, status)
	}))
	t.Cleanup(first.Close)
	return first.URL, met
}

// Go keeps X-Admin-Key when it follows a redirect, to whatever host it leads.
// Proves: V15.3.2
func TestV15_3_2_TheFoundersKeyFollowsNoRedirect(t *testing.T) {
	for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		isolated(t)
		address, met := leading(t, status)
		t.Setenv("PUBLIC_URL", address)
		t.Setenv("ADMIN_KEY", "the-founders-key-of-this-test")
		fails(t, "the server answered "+http.StatusText(status), "post", "hello")
		require.Zero(t, met.Load())
	}
}

// Proves: V15.3.2
func TestV15_3_2_WhoAsksWhetherWeAreWellIsNotLedElsewhere(t *testing.T) {
	isolated(t)
	address, met := leading(t, http.StatusFound)
	fails(t, "answers 302 Found", "health", "--of", address+"/readyz")
	require.Zero(t, met.Load())
}
