package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// steps are what /metrics says of the work behind quotes so far.
type steps struct {
	answering time.Duration // POST /api/dynamic-payment, as the API measures it
	working   time.Duration // the steps of the flow up to the quote, as the worker does
}

// quoteSteps are the activities that a buyer waits for.
var quoteSteps = map[string]bool{
	"BeginCheckout": true, "ProposePrice": true, "DecideByRules": true, "CreateCoupon": true, "CreateCheckoutSession": true,
}

// readSteps asks a running product.
func readSteps(ctx context.Context, site string) (steps, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, site+"/metrics", http.NoBody)
	if err != nil {
		return steps{}, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return steps{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	if err != nil {
		return steps{}, fmt.Errorf("/metrics cannot be read: %w", err)
	}
	return steps{
		answering: total(families["customerzero_http_request_duration_seconds"], func(labels map[string]string) bool {
			return labels["route"] == "/api/dynamic-payment"
		}),
		working: total(families["customerzero_activity_duration_seconds"], func(labels map[string]string) bool {
			return quoteSteps[labels["activity"]]
		}),
	}, nil
}

// total sums up the time of a family's series that count.
func total(family *dto.MetricFamily, counts func(labels map[string]string) bool) time.Duration {
	sum := 0.0
	for _, m := range family.GetMetric() {
		labels := map[string]string{}
		for _, label := range m.GetLabel() {
			labels[label.GetName()] = label.GetValue()
		}
		if counts(labels) {
			sum += m.GetHistogram().GetSampleSum()
		}
	}
	return time.Duration(sum * float64(time.Second))
}
