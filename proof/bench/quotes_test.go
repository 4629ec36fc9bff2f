package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestQuotesAreReportedByWhatBuyersWaited(t *testing.T) {
	t.Parallel()
	waits := func(slow int) quotes {
		q := quotes{atOnce: 20, outOfSteps: 0.4}
		for i := range 100 {
			wait := 50 * time.Millisecond
			if i < slow {
				wait = time.Second
			}
			q.waited = append(q.waited, wait)
		}
		return q
	}
	for slow, met := range map[int]bool{0: true, 5: true, 6: false} {
		figures := waits(slow).figures()
		require.Equal(t, met, len(missed(figures)) == 0, "%d of 100 are slow", slow)
		require.InDelta(t, 40, figures[len(figures)-1].Ours, 1e-9, "percent")
	}
}

func TestOnlyWhatABuyerWaitsForCounts(t *testing.T) {
	t.Parallel()
	const text = `# TYPE customerzero_http_request_duration_seconds histogram
customerzero_http_request_duration_seconds_bucket{method="POST",route="/api/dynamic-payment",status="200",le="+Inf"} 2
customerzero_http_request_duration_seconds_sum{method="POST",route="/api/dynamic-payment",status="200"} 0.5
customerzero_http_request_duration_seconds_count{method="POST",route="/api/dynamic-payment",status="200"} 2
customerzero_http_request_duration_seconds_bucket{method="POST",route="/api/visits",status="200",le="+Inf"} 2
customerzero_http_request_duration_seconds_sum{method="POST",route="/api/visits",status="200"} 7
customerzero_http_request_duration_seconds_count{method="POST",route="/api/visits",status="200"} 2
# TYPE customerzero_activity_duration_seconds histogram
customerzero_activity_duration_seconds_bucket{activity="CreateCoupon",outcome="done",le="+Inf"} 2
customerzero_activity_duration_seconds_sum{activity="CreateCoupon",outcome="done"} 0.125
customerzero_activity_duration_seconds_count{activity="CreateCoupon",outcome="done"} 2
customerzero_activity_duration_seconds_bucket{activity="SettleCheckout",outcome="done",le="+Inf"} 2
customerzero_activity_duration_seconds_sum{activity="SettleCheckout",outcome="done"} 3
customerzero_activity_duration_seconds_count{activity="SettleCheckout",outcome="done"} 2
`
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte(text)) }))
	t.Cleanup(server.Close)
	got, err := readSteps(t.Context(), server.URL)
	require.NoError(t, err)
	require.Equal(t, steps{answering: 500 * time.Millisecond, working: 125 * time.Millisecond}, got)
}
