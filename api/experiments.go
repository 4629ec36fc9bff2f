package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"customerzero/internal/domain/experiment"
)

// ExperimentBook is the lab. *store.Experiments implements it. Experiments are named by their slug, by
// their number or by their ID, where key stands.
type ExperimentBook interface {
	Experiments(ctx context.Context, q experiment.Query) ([]experiment.Listed, int, error)
	ExperimentTotals(ctx context.Context) (experiment.Totals, error)
	Experiment(ctx context.Context, key string) (experiment.Listed, error)
	ExperimentNamed(ctx context.Context, key string) (experiment.Experiment, error) // without what is counted
	LabNotes(ctx context.Context, id string) ([]experiment.Note, error)             // the newest day first
	VotesOf(ctx context.Context, memberID string) (map[string]int, error)
	// SubmitExperiment counts it for whom; a refusal uses nothing up.
	SubmitExperiment(ctx context.Context, e experiment.Experiment, whom string) (experiment.Experiment, error)
	EditExperiment(ctx context.Context, id string, version int, edit experiment.Edit, at time.Time) (experiment.Experiment, error)
	MoveExperiment(ctx context.Context, id string, version int, to experiment.Status, reason string, at time.Time) (experiment.Experiment, error)
	// RegisterMetric with nil takes the registration back.
	RegisterMetric(ctx context.Context, id string, version int, r *experiment.Registration, at time.Time) (experiment.Experiment, error)
	CastVote(ctx context.Context, id, memberID string, value int, at time.Time) (experiment.Tally, error)
	WithdrawVote(ctx context.Context, id, memberID string, at time.Time) (experiment.Tally, error)
	// WriteNote writes a day's note anew with version 0, or over the one of that version.
	WriteNote(ctx context.Context, n experiment.Note, version int, at time.Time) (experiment.Note, error)
	DeleteNote(ctx context.Context, id, date string, version int, at time.Time) error
	// ReadMetric reads a metric from since until then.
	ReadMetric(ctx context.Context, metric experiment.Metric, since, until time.Time) (experiment.Reading, error)
}

// ExperimentFlows carries experiments. *workflows.Client implements it.
type ExperimentFlows interface {
	// HeedExperiment starts the flow of an experiment that became active, or tells the one there
	// is that its row has changed. Safe to repeat.
	HeedExperiment(ctx context.Context, experimentID string) error
}

func (s *Server) registerExperiments(contract huma.API) {
	tags := []string{"experiments"}
	operation(contract, huma.Operation{
		OperationID: "listExperiments", Method: http.MethodGet, Path: "/api/experiments", Tags: tags,
		Summary: "The experiments of the lab; what waits for a founder is shown to founders",
	}, s.listExperiments)
	operation(contract, huma.Operation{
		OperationID: "similarExperiments", Method: http.MethodGet, Path: "/api/experiments/similar", Tags: tags,
		Summary: "Public experiments that say nearly the same, three at most",
	}, s.similarExperiments)
	operation(contract, huma.Operation{
		OperationID: "getExperiment", Method: http.MethodGet, Path: "/api/experiments/{slug}", Tags: tags,
		Summary: "One experiment, by its slug or its ID",
	}, s.getExperiment)
	operation(contract, huma.Operation{
		OperationID: "submitExperiment", Method: http.MethodPost, Path: "/api/experiments/submit", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Suggest an experiment", Description: "It waits for a founder's approval unless the answer says otherwise.",
	}, s.submitExperiment)
	operation(contract, huma.Operation{
		OperationID: "voteExperiment", Method: http.MethodPost, Path: "/api/experiments/vote", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Vote up or down, or change one's vote",
	}, s.voteExperiment)
	operation(contract, huma.Operation{
		OperationID: "withdrawVote", Method: http.MethodDelete, Path: "/api/experiments/{slug}/vote", Tags: tags,
		Summary: "Take one's vote back",
	}, s.withdrawVote)
	operation(contract, huma.Operation{
		OperationID: "editExperiment", Method: http.MethodPatch, Path: "/api/experiments/{slug}", Tags: tags,
		Summary: "Change what an experiment says", Description: "What is left out stays.",
	}, s.editExperiment)
	operation(contract, huma.Operation{
		OperationID: "moveExperiment", Method: http.MethodPost, Path: "/api/experiments/{slug}/move", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Move an experiment to another status",
	}, s.moveExperiment)
	operation(contract, huma.Operation{
		OperationID: "registerMetric", Method: http.MethodPut, Path: "/api/experiments/{slug}/metric", Tags: tags,
		Summary: "Promise what will be measured, before the experiment becomes active",
	}, s.registerMetric)
	operation(contract, huma.Operation{
		OperationID: "unregisterMetric", Method: http.MethodDelete, Path: "/api/experiments/{slug}/metric", Tags: tags,
		Summary: "Take that back, before the experiment becomes active",
	}, s.unregisterMetric)
	operation(contract, huma.Operation{
		OperationID: "writeLabNote", Method: http.MethodPut, Path: "/api/experiments/{slug}/notes/{date}", Tags: tags,
		Summary: "Write the lab note of a day",
	}, s.writeLabNote)
	operation(contract, huma.Operation{
		OperationID: "deleteLabNote", Method: http.MethodDelete, Path: "/api/experiments/{slug}/notes/{date}", Tags: tags,
		Summary: "Delete the lab note of a day",
	}, s.deleteLabNote)
}
