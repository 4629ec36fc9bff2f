package admin

import (
	"context"
	"log/slog"
	"time"

	"github.com/rs/xid"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
)

// ClientError is an error that a page reports.
type ClientError struct {
	Message string `json:"message" doc:"Error message" minLength:"1" maxLength:"2000"`
	Path    string `json:"path" doc:"Path of the page" maxLength:"500"`
	Stack   string `json:"stack,omitempty" doc:"Stack trace" maxLength:"20000"`
}

// ClientErrorReply holds the reference that the user sees.
type ClientErrorReply struct {
	Success   bool   `json:"success" doc:"Always true" enum:"true"`
	Reference string `json:"reference" doc:"Reference that finds the report"`
}

// ClientErrorReport is a stored report.
type ClientErrorReport struct {
	Reference string    `json:"reference" doc:"Reference that the user was shown"`
	At        time.Time `json:"at" doc:"Time of the report"`
	Path      string    `json:"path" doc:"Path of the page"`
	Message   string    `json:"message" doc:"Error message"`
	Stack     string    `json:"stack" doc:"Stack trace; empty if none was sent"`
}

// ClientErrorReports are the newest reports.
type ClientErrorReports struct {
	Reports []ClientErrorReport `json:"reports" doc:"Reports, newest first, at most 20"`
}

type clientErrorsRequest struct {
	Reference string `query:"reference" maxLength:"40" doc:"Return only the report with this reference"`
}

func (a *API) ListClientErrors(ctx context.Context, req *clientErrorsRequest) (ClientErrorReports, error) {
	const most = 20
	found, err := a.ClientErrors.ClientErrors(ctx, req.Reference, most)
	return ClientErrorReports{httpapi.Map(found, func(r problem.ClientError) ClientErrorReport {
		return ClientErrorReport{Reference: r.ID, At: r.CreatedAt, Path: r.Path, Message: r.Message, Stack: r.Stack}
	})}, err
}

func (a *API) ReportClientError(ctx context.Context, req *httpapi.Body[ClientError]) (ClientErrorReply, error) {
	report := problem.ClientError{
		ID: xid.New().String(), Path: req.Body.Path, Message: req.Body.Message, Stack: req.Body.Stack, CreatedAt: a.Now(),
	}
	if err := a.ClientErrors.SaveClientError(ctx, report, httpapi.CallerOf(ctx).Asker(a.Marks)); err != nil {
		return ClientErrorReply{}, err
	}
	slog.WarnContext(ctx, "client error reported", "reference", report.ID, "path", report.Path)
	return ClientErrorReply{true, report.ID}, nil
}
