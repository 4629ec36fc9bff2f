package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/rs/xid"
	"golang.org/x/time/rate"

	"customerzero/internal/problem"
)

// reportRate bounds how fast strangers can fill our database with reports.
var reportRate = rate.NewLimiter(rate.Every(time.Second), 30)

func (s *Server) registerClientErrors(contract huma.API) {
	operation(contract, huma.Operation{
		OperationID: "reportClientError", Method: http.MethodPost, Path: "/api/client-errors", DefaultStatus: http.StatusCreated,
		Summary: "Say that a page broke", Tags: []string{"operations"},
	}, s.reportClientError)
}

// ClientError is what a broken page reports.
type ClientError struct {
	Message string `json:"message" minLength:"1" maxLength:"2000"`
	Path    string `json:"path" maxLength:"500"`
	Stack   string `json:"stack,omitempty" maxLength:"20000"`
}

// ClientErrorReply names the report.
type ClientErrorReply struct {
	Success   bool   `json:"success" enum:"true"`
	Reference string `json:"reference" doc:"Finds the report"`
}

type clientErrorRequest struct{ Body ClientError }

type clientErrorReply struct{ Body ClientErrorReply }

func (s *Server) reportClientError(ctx context.Context, req *clientErrorRequest) (*clientErrorReply, error) {
	if !reportRate.Allow() {
		return nil, problem.New(problem.TooMany, "Too many reports come in just now. Thank you; we know.")
	}
	report := problem.ClientError{
		ID: xid.New().String(), Path: req.Body.Path, Message: req.Body.Message, Stack: req.Body.Stack, CreatedAt: s.Now(),
	}
	if err := s.Reports.SaveClientError(ctx, report); err != nil {
		return nil, err
	}
	slog.WarnContext(ctx, "a page broke", "reference", report.ID, "path", report.Path, "request_id", requestID(ctx))
	return &clientErrorReply{ClientErrorReply{true, report.ID}}, nil
}
