package activities

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/verification"
)

type oneRun struct {
	VerificationStore
	run verification.Run
}

func (b oneRun) Verification(context.Context, string) (verification.Run, error) { return b.run, nil }

// Proves: V15.3.2
func TestCheckEndpoints(t *testing.T) {
	t.Parallel()
	endless := atomic.Int64{}
	for name, tt := range map[string]struct {
		says http.HandlerFunc
		want verification.Answer
	}{
		"an answer": {
			says: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json; charset=utf-8")
			},
			want: verification.Answer{Status: 200, ContentType: "application/json"},
		},
		"a redirect is not followed": {
			says: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
			},
			want: verification.Answer{Status: 302, ContentType: "text/html"},
		},
		"an endless answer is cut": {
			says: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				for part := make([]byte, 1<<16); ; {
					n, err := w.Write(part)
					endless.Add(int64(n))
					if err != nil {
						return
					}
				}
			},
			want: verification.Answer{Status: 200, ContentType: "text/html"},
		},
		"a response that is cut off": {
			says: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "100")
				_, _ = io.WriteString(w, "{")
			},
			want: verification.Answer{Error: "The response was cut off.", ContentType: "text/plain"},
		},
		"no answer": {
			says: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			want: verification.Answer{Error: "The connection failed."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := httptest.NewServer(tt.says)
			t.Cleanup(site.Close)
			a := &Verification{Store: oneRun{run: verification.Run{URL: site.URL + "/wall?x=1"}}, HTTP: site.Client(), Now: time.Now}
			said := must(a.CheckEndpoints(t.Context(), VerificationRef{VerificationID: "v1"}))
			require.Len(t, said.Answers, len(verification.Endpoints))
			for i, answer := range said.Answers {
				require.Less(t, answer.TookMS, 5000)
				answer.TookMS, tt.want.Path = 0, verification.Endpoints[i].Path
				require.Equal(t, tt.want, answer)
			}
		})
	}
	t.Cleanup(func() { require.Less(t, endless.Load(), int64(6*(16<<20)), "what is not read is not sent") })
}

func TestSilentEndpointTimesOut(t *testing.T) {
	t.Parallel()
	ends := make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-ends }))
	t.Cleanup(site.Close)
	t.Cleanup(func() { close(ends) })
	a := &Verification{HTTP: site.Client(), Now: time.Now}
	said := a.callEndpoint(t.Context(), &http.Client{Timeout: 20 * time.Millisecond}, site.URL, "/")
	require.Equal(t, "It took longer than 5 seconds.", said.Error)
}

func TestMissingEndpointDoesNotPass(t *testing.T) {
	t.Parallel()
	for _, c := range checksOf(nil, everyView("v1", nil)) {
		require.NotEqual(t, verification.Pass, c.State)
		require.NotEmpty(t, c.Message)
	}
}

func TestTextsAreCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	require.Equal(t, "aé", cut("aé", 3))
	require.Equal(t, "a", cut("aé", 2))
}
