package verification

import (
	"context"
	"encoding/base64"
	"log/slog"
	"path"
	"strings"
	"time"

	"github.com/rs/xid"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
	"customerzero/workflows"
)

const (
	verificationStart = 5 * time.Second  // bounds the start of the workflow
	verificationWait  = 30 * time.Second // how long verify waits for the result; about half of the request's deadline
)

func (a *API) Verify(ctx context.Context, req *httpapi.Body[NewVerification]) (Verification, error) {
	target, err := verification.ParseTarget(req.Body.URL, a.Sites)
	if err != nil {
		return Verification{}, err
	}
	who := httpapi.CallerOf(ctx)
	openKey := a.verificationKey(who)
	run := verification.Run{
		ID: xid.New().String(), URL: target.URL, Path: target.Path, Prompt: strings.TrimSpace(req.Body.Prompt), RequestedBy: verification.Requester(who.Role.String()),
		OpenKey: &openKey, Stage: verification.Requested, Checks: []verification.Check{}, RequestedAt: a.Now(),
	}
	if err := a.Verifications.RequestVerification(ctx, run, who.Asker(a.Marks)); err != nil {
		return Verification{}, a.explainRunning(ctx, openKey, err)
	}
	return a.beginVerification(ctx, run.ID, req.Body.Wait == nil || *req.Body.Wait)
}

// beginVerification starts the workflow of a stored run. If the start fails, the dispatcher retries it.
func (a *API) beginVerification(ctx context.Context, id string, wait bool) (Verification, error) {
	starting, cancel := context.WithTimeout(context.WithoutCancel(ctx), verificationStart)
	defer cancel()
	runID, startErr := a.Runs.StartVerification(starting, id)
	switch {
	case startErr != nil:
		slog.WarnContext(ctx, "verification not started; the dispatcher retries", "verification_id", id, "error", startErr)
	case wait:
		a.awaitVerification(ctx, id, runID)
	}
	run, err := a.Verifications.Verification(ctx, id)
	if err != nil {
		return Verification{}, err
	}
	if run.RunID == "" && runID != "" { // the workflow has not stored its run ID yet
		run.WorkflowID, run.RunID = workflows.VerificationID(id), runID
	}
	shown, err := a.wholeVerification(ctx, run)
	if startErr != nil && run.Stage == verification.Requested {
		shown.Reason = "The verification is saved, but its run couldn't be started yet. It starts automatically as soon as the workflow service responds."
	}
	if wait {
		shown.Screenshot = a.screenshot(ctx, shown.Thumbnail)
	}
	return shown, err
}

func (a *API) awaitVerification(ctx context.Context, id, runID string) {
	waiting, cancel := context.WithTimeout(ctx, verificationWait)
	defer cancel()
	if err := a.Runs.AwaitVerification(waiting, id, runID); err != nil && waiting.Err() == nil {
		slog.WarnContext(ctx, "waiting for a verification failed", "verification_id", id, "error", err)
	}
}

// screenshot returns an image as base64. An error is logged and yields "".
func (a *API) screenshot(ctx context.Context, picture string) string {
	if picture == "" {
		return ""
	}
	png, err := a.Pictures.Get(ctx, strings.TrimSuffix(path.Base(picture), ".png"))
	if err != nil {
		slog.WarnContext(ctx, "screenshot not read", "path", picture, "error", err)
		return ""
	}
	return base64.StdEncoding.EncodeToString(png)
}

// explainRunning adds the running verification to the error that refuses a second one, so that its page can be opened.
func (a *API) explainRunning(ctx context.Context, openKey string, refused error) error {
	if problem.CodeOf(refused) != problem.VerificationRunning {
		return refused
	}
	open, err := a.Verifications.OpenVerification(ctx, openKey)
	if err != nil {
		return err
	}
	if open == nil {
		return problem.New(problem.VerificationRunning, "Your previous verification has only just finished. Try again.")
	}
	return &problem.Error{
		Code: problem.VerificationRunning,
		Message: "Your verification has been running since " + open.RequestedAt.UTC().Format(time.TimeOnly) +
			" UTC, and only one can run at a time. Try again when it has ended.",
		Details: []problem.Detail{{Field: "runId", Reason: open.ID}},
	}
}

// verificationKey returns the key by which a caller can have only one open run: the account, the admin key, or the
// visitor.
func (a *API) verificationKey(who httpapi.Caller) string {
	switch id := who.AccountID(); {
	case id != nil:
		return "account:" + *id
	case who.Key:
		return "key"
	}
	return "visitor:" + who.Visitor(a.Marks)
}
