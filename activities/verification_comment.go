package activities

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"

	"customerzero/internal/domain/model"
	"customerzero/internal/domain/screenshot"
	"customerzero/internal/domain/verification"
)

// VisionModel is a model that accepts images. *llm.VisionModel implements it: its errors are
// *model.Error, and the call is always filled in.
type VisionModel interface {
	Review(ctx context.Context, q model.Prompt, pictures [][]byte) (answer json.RawMessage, call model.Call, err error)
}

// Limits of the prompt.
const (
	maxPageText = 4096 // bytes of the page's text
	maxMessage  = 300  // bytes of a check's message
)

// ReviewPageInput identifies a run to review.
type ReviewPageInput struct {
	VerificationID string
	Answers        []verification.Answer // endpoint responses
}

// ReviewPage reviews the screenshots: by the model, called once because a call costs money, or by the
// built-in analysis if there is no model or it fails. Prompt injection by the page can at most add a
// doubt.
func (a *Verification) ReviewPage(ctx context.Context, in ReviewPageInput) (Done, error) {
	run, shots, checks, err := a.reviewed(ctx, in)
	if err != nil || run == nil {
		return Done{}, err
	}
	pictures, err := a.pictures(ctx, shots)
	if err != nil {
		return Done{}, err
	}
	if a.Vision == nil || len(pictures) == 0 { // nothing to show to a model
		return Done{}, a.Store.CommentVerification(ctx, run.ID, builtIn(ctx, *run, checks, pictures, ""), nil)
	}
	comment, call, err := a.askModel(ctx, *run, checks, shots, pictures)
	if err != nil {
		slog.WarnContext(ctx, "the AI review of a page failed", "verification_id", run.ID, "error", err)
		comment = builtIn(ctx, *run, checks, pictures, troubleOf(err))
	}
	keep := context.WithoutCancel(ctx) // store the call even if the activity was cancelled
	if call.ID == "" {
		return Done{}, a.Store.CommentVerification(keep, run.ID, comment, nil)
	}
	if err := a.ModelCalls.SaveCall(keep, call); err != nil {
		return Done{}, err
	}
	return Done{}, a.Store.CommentVerification(keep, run.ID, comment, &call.ID)
}

// GiveUpReview makes the built-in review after the step that called the model was lost: whether the
// model was called is unknown.
func (a *Verification) GiveUpReview(ctx context.Context, in ReviewPageInput) (Done, error) {
	run, _, checks, err := a.reviewed(ctx, in)
	if err != nil || run == nil {
		return Done{}, err
	}
	trouble := ""
	if a.Vision != nil {
		trouble = "The AI review was interrupted."
	}
	return Done{}, a.Store.CommentVerification(ctx, run.ID, builtIn(ctx, *run, checks, nil, trouble), nil)
}

// reviewed returns a run without a review, its screenshots and checks, or nil if it needs no review any
// more.
func (a *Verification) reviewed(ctx context.Context, in ReviewPageInput) (*verification.Run, []verification.Shot, []verification.Check, error) {
	run, err := a.Store.Verification(ctx, in.VerificationID)
	if err != nil || run.Comment != nil || run.Stage == verification.Ended {
		return nil, nil, nil, err
	}
	shots, err := a.Shots.Screenshots(ctx, run.ID)
	return &run, shots, checksOf(in.Answers, everyView(run.ID, shots)), err
}

// pictures returns the images of a run by viewport name. Missing ones are left out.
func (a *Verification) pictures(ctx context.Context, shots []verification.Shot) (map[string][]byte, error) {
	found := map[string][]byte{}
	for _, shot := range shots {
		if shot.ImageHash == "" {
			continue
		}
		png, err := a.Pictures.Get(ctx, shot.ImageHash)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			slog.WarnContext(ctx, "could not read a screenshot", "verification_id", shot.RunID, "error", err)
			continue
		}
		found[verification.ViewName(shot.Theme, shot.Viewport)] = png
	}
	return found, nil
}

// builtIn is the review by the built-in analysis. trouble is why there is none by a model.
func builtIn(ctx context.Context, run verification.Run, checks []verification.Check, pictures map[string][]byte, trouble string) verification.Comment {
	measured := map[string]verification.Measured{}
	for view, png := range pictures {
		m, err := screenshot.Measure(png)
		if err != nil {
			slog.WarnContext(ctx, "could not analyze a screenshot", "verification_id", run.ID, "error", err)
			continue
		}
		measured[view] = m
	}
	comment := verification.Analyse(run.Prompt, checks, measured)
	comment.By, comment.BuiltIn, comment.Trouble = verification.BuiltIn, true, trouble
	return comment
}

func troubleOf(err error) string {
	if failed, ok := errors.AsType[*model.Error](err); ok {
		return failed.Message
	}
	return "The model did not answer."
}

// page is the input of the prompt "verification". All of it is untrusted data: the page's own text and
// the user's criteria.
type page struct {
	Path     string      `json:"url_path"`
	Checks   []pageCheck `json:"checks"`
	Text     string      `json:"text"`
	Criteria []string    `json:"criteria"`
}

type pageCheck struct {
	Kind    verification.CheckKind  `json:"kind"`
	Subject string                  `json:"subject"`
	State   verification.CheckState `json:"state"`
	Message string                  `json:"message"`
}

// verdictOnPage is the answer that the prompt requests.
type verdictOnPage struct {
	Summary  string                   `json:"summary"`
	Doubts   bool                     `json:"doubts"`
	Criteria []verification.Criterion `json:"criteria"`
}

func (a *Verification) askModel(ctx context.Context, run verification.Run, checks []verification.Check, shots []verification.Shot, pictures map[string][]byte) (verification.Comment, model.Call, error) {
	criteria := verification.Criteria(run.Prompt)
	prompt, err := model.NewPrompt("verification", pageOf(run, checks, shots, criteria))
	if err != nil {
		return verification.Comment{}, model.Call{}, err
	}
	answer, call, err := a.Vision.Review(ctx, prompt, shown(pictures))
	if err != nil {
		return verification.Comment{}, call, err
	}
	var verdict verdictOnPage
	if err := json.Unmarshal(answer, &verdict); err != nil {
		return verification.Comment{}, call, err
	}
	comment := verification.Settle(verification.Comment{By: call.Model, Text: verdict.Summary, Doubts: verdict.Doubts, Criteria: verdict.Criteria}, criteria)
	return comment, call, nil
}

func pageOf(run verification.Run, checks []verification.Check, shots []verification.Shot, criteria []string) page {
	input := page{Path: run.Path, Checks: make([]pageCheck, len(checks)), Criteria: append([]string{}, criteria...)}
	for i, c := range checks {
		input.Checks[i] = pageCheck{Kind: c.Kind, Subject: c.Subject, State: c.State, Message: cut(c.Message, maxMessage)}
	}
	for _, shot := range shots {
		if shot.Facts != nil && shot.Facts.Text != "" {
			input.Text = cut(shot.Facts.Text, maxPageText)
			break
		}
	}
	return input
}

// shown selects the images for the model, since each costs. The dark ones differ in colors only.
func shown(pictures map[string][]byte) [][]byte {
	var light, dark [][]byte
	for _, view := range verification.Views() {
		png, found := pictures[verification.ViewName(view.Theme, view.Viewport.Name)]
		switch {
		case found && view.Theme == verification.Light:
			light = append(light, png)
		case found:
			dark = append(dark, png)
		}
	}
	if len(light) == 0 {
		return dark
	}
	return light
}

// cut truncates to at most most bytes, without splitting a character.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}
