package chaos

import (
	"context"
	"encoding/csv"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
)

const recentMost = 50

func (a *API) GetRecentChaos(ctx context.Context, _ *struct{}) (RecentChaos, error) {
	runs, _, err := a.Chaos.ChaosRuns(ctx, chaos.Filter{}, recentMost, 0)
	return RecentChaos{httpapi.Map(runs, showChaos)}, err
}

func (a *API) ListChaosRuns(ctx context.Context, req *listChaosRunsRequest) (ChaosRuns, error) {
	filter := chaos.Filter{Fault: req.Fault, Verdict: chaos.Verdict(req.Verdict)}
	runs, total, err := a.Chaos.ChaosRuns(ctx, filter, req.Limit, req.Offset)
	return ChaosRuns{httpapi.Map(runs, showChaos), req.Of(total)}, err
}

func showChaos(r chaos.Run) ChaosEvent {
	return ChaosEvent{
		RunRef: httpapi.RunOf(r.WorkflowID, r.RunID), ID: r.ID, Type: r.Fault, Source: r.Source, RequestedBy: string(r.RequestedBy),
		Restored: r.Restored, Timestamp: r.RequestedAt, Stage: string(r.Stage), Verdict: string(r.Verdict), Reason: r.Reason,
		PromiseMS: r.PromiseMS, DetectMS: r.DetectMS, HealMS: r.HealMS, InjectedAt: r.InjectedAt, EndedAt: r.EndedAt,
		ReplayOf: httpapi.Deref(r.ReplayOf),
	}
}

// DownloadChaosRuns streams the runs as CSV while they are read.
func (a *API) DownloadChaosRuns(context.Context, *struct{}) (*huma.StreamResponse, error) {
	return &huma.StreamResponse{Body: func(hctx huma.Context) { a.sendChaosRuns(humagin.Unwrap(hctx)) }}, nil
}

func (a *API) sendChaosRuns(c *gin.Context) {
	c.Header("Content-Type", "text/csv; charset=utf-8")
	c.Header("Content-Disposition", `attachment; filename="chaos-runs.csv"`)
	table, ctx := csv.NewWriter(c.Writer), c.Request.Context()
	err := table.Write(chaosColumns)
	if err == nil {
		err = a.Chaos.EachChaosRun(ctx, func(r chaos.Run) error { return table.Write(chaosRow(r)) })
	}
	if err == nil {
		table.Flush()
		err = table.Error()
	}
	if err == nil {
		return
	}
	if !c.Writer.Written() {
		c.Writer.Header().Del("Content-Type")
		c.Writer.Header().Del("Content-Disposition")
		httpapi.RefuseWith(c, err)
		return
	}
	slog.ErrorContext(ctx, "CSV download failed", "error", err)
	// The last write must fail, so that the client does not take a partial file for the whole.
	_ = http.NewResponseController(c.Writer).SetWriteDeadline(time.Unix(1, 0))
}

var chaosColumns = []string{
	"id", "type", "source", "requested_by", "verdict", "reason", "restored", "requested_at", "injected_at", "ended_at",
	"detect_ms", "heal_ms", "promise_ms", "replay_of", "workflow_id", "run_id",
}

func chaosRow(r chaos.Run) []string {
	return []string{
		r.ID, r.Fault, r.Source, string(r.RequestedBy), string(r.Verdict), r.Reason, strconv.FormatBool(r.Restored),
		formatTime(r.RequestedAt), orEmpty(r.InjectedAt, formatTime), orEmpty(r.EndedAt, formatTime),
		orEmpty(r.DetectMS, strconv.Itoa), orEmpty(r.HealMS, strconv.Itoa), strconv.Itoa(r.PromiseMS), httpapi.Deref(r.ReplayOf), r.WorkflowID, r.RunID,
	}
}

func formatTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func orEmpty[T any](value *T, format func(T) string) string {
	if value == nil {
		return ""
	}
	return format(*value)
}
