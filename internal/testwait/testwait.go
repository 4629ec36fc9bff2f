// Package testwait holds the deadline of every wait in a test, and the client with it. Only tests may
// use it.
package testwait

import (
	"net/http"
	"time"
)

// Limit ends a wait for something that will never happen. It exists to report a hang and measures
// nothing: a slow machine must not fail a test, so it is minutes where milliseconds are expected. It
// is shorter than the timeout of `go test`, so that the failed test names the condition it waited for.
const Limit = 3 * time.Minute

// Client calls servers of httptest in tests that run in parallel: when one of these servers is closed, it
// closes connections of http.DefaultTransport, which may be another test's.
var Client = &http.Client{Transport: &http.Transport{}, Timeout: Limit}
