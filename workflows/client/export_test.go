package client

import (
	"go.temporal.io/api/history/v1"

	"customerzero/internal/domain/run"
)

var AsProblem = asProblem

// Fold also returns the names without a public title.
func Fold(flow run.Flow, events []*history.HistoryEvent) (timeline run.Timeline, unnamed []string) {
	f := fold(flow, events, nil)
	return f.Timeline, f.unnamed
}
