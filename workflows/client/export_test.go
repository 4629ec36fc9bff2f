package client

import (
	"go.temporal.io/api/history/v1"

	"customerzero/internal/domain/run"
)

// AsProblem is what callers of Client are told of an error of Temporal's.
var AsProblem = asProblem

// Fold tells a history as its timeline does. unnamed is what of it has no name.
func Fold(flow run.Flow, events []*history.HistoryEvent) (told run.Timeline, unnamed []string) {
	f := fold(flow, events, nil)
	return f.Timeline, f.unnamed
}
