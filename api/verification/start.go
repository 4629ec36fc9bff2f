package verification

import (
	"context"
	"encoding/base64"
	"log/slog"
	"strings"
	"time"

	"github.com/rs/xid"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
	"customerzero/workflows"
)

const (
	// verificationStart is how long an asker waits for a run to begin.
	verificationStart = 5 * time.Second
	// verificationWait is how long verify waits for a run to end: half of what the server
	// lets an answer take.
	verificationWait = 30 * time.Second
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
	if err := a.Verifications.RequestVerification(ctx, run, who.CountedFor(a.Marks)); err != nil {
		return Verification{}, a.whyNoVerification(ctx, openKey, err)
	}
	return a.beginVerification(ctx, run.ID, req.Body.Wait == nil || *req.Body.Wait)
}

// beginVerification starts a run that is written down. One that does not start now is begun by
// the starter, when the workflow service answers again.
func (a *API) beginVerification(ctx context.Context, id string, wait bool) (Verification, error) {
	starting, cancel := context.WithTimeout(context.WithoutCancel(ctx), verificationStart)
	defer cancel()
	runID, late := a.Runs.StartVerification(starting, id)
	switch {
	case late != nil:
		slog.WarnContext(ctx, "a verification starts later", "verification_id", id, "error", late)
	case wait:
		a.awaitVerification(ctx, id, runID)
	}
	run, err := a.Verifications.Verification(ctx, id)
	if err != nil {
		return Verification{}, err
	}
	if run.RunID == "" && runID != "" { // it has not written itself into the row yet
		run.WorkflowID, run.RunID = workflows.VerificationID(id), runID
	}
	shown, err := a.wholeVerification(ctx, run)
	if late != nil && run.Stage == verification.Requested {
		shown.Reason = "This is written down, but its run could not be started yet. It begins by itself, within seconds if the workflow service answers."
	}
	if wait {
		shown.Screenshot = a.screenshot(ctx, shown.Thumbnail)
	}
	return shown, err
}

// awaitVerification does not insist: a run that goes on is answered as it stands.
func (a *API) awaitVerification(ctx context.Context, id, runID string) {
	waiting, cancel := context.WithTimeout(ctx, verificationWait)
	defer cancel()
	if err := a.Runs.AwaitVerification(waiting, id, runID); err != nil && waiting.Err() == nil {
		slog.WarnContext(ctx, "a verification is not waited for", "verification_id", id, "error", err)
	}
}

// screenshot is a picture by its path. Without it the answer is still one.
func (a *API) screenshot(ctx context.Context, path string) string {
	if path == "" {
		return ""
	}
	png, err := a.Pictures.Get(ctx, pictureKey(path))
	if err != nil {
		slog.WarnContext(ctx, "a picture cannot be read", "path", path, "error", err)
		return ""
	}
	return base64.StdEncoding.EncodeToString(png)
}

// whyNoVerification names the run that is in the way, so that its page can be opened.
func (a *API) whyNoVerification(ctx context.Context, openKey string, refused error) error {
	if problem.CodeOf(refused) != problem.VerificationRunning {
		return refused
	}
	open, err := a.Verifications.OpenVerification(ctx, openKey)
	if err != nil {
		return err
	}
	if open == nil {
		return problem.New(problem.VerificationRunning, "Another run of yours was under way until this moment. Try again.")
	}
	return &problem.Error{
		Code: problem.VerificationRunning,
		Message: "A run of yours has been under way since " + open.RequestedAt.UTC().Format(time.TimeOnly) +
			" UTC. There is one at a time: try again when it has ended.",
		Details: []problem.Detail{{Field: "runId", Reason: open.ID}},
	}
}

// verificationKey names whose a run is until it has ended. People who are not logged in share
// one by network.
func (a *API) verificationKey(who httpapi.Caller) string {
	switch id := who.AccountID(); {
	case id != nil:
		return "account:" + *id
	case who.Key:
		return "key"
	}
	return "visitor:" + who.Visitor(a.Marks)
}
