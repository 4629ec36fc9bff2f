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

// VisionModel is a model that sees pictures. *llm.VisionModel implements it: its errors are *model.Error, and
// the call is filled in any case.
type VisionModel interface {
	Review(ctx context.Context, q model.Prompt, pictures [][]byte) (answer json.RawMessage, call model.Call, err error)
}

// What a model is told of a page, at most.
const (
	toldText    = 4096 // bytes of what can be read there
	toldMessage = 300  // of a check
)

// ReviewPageInput names a run that was looked at.
type ReviewPageInput struct {
	VerificationID string
	Answers        []verification.Answer // of the endpoints
}

// ReviewPage says what there is to see: the model does where there is one, and is asked once,
// since a call costs money; else, and where it fails, the built-in analysis does. Whatever the
// page says, it can only add a doubt.
func (a *Verification) ReviewPage(ctx context.Context, in ReviewPageInput) (Done, error) {
	run, shots, checks, err := a.reviewed(ctx, in)
	if err != nil || run == nil {
		return Done{}, err
	}
	pictures, err := a.pictures(ctx, shots)
	if err != nil {
		return Done{}, err
	}
	if a.Vision == nil || len(pictures) == 0 { // there is nothing that a model could see
		return Done{}, a.Store.CommentVerification(ctx, run.ID, builtIn(ctx, *run, checks, pictures, ""), nil)
	}
	said, call, err := a.askModel(ctx, *run, checks, shots, pictures)
	if err != nil {
		slog.WarnContext(ctx, "no model commented a page", "verification_id", run.ID, "error", err)
		said = builtIn(ctx, *run, checks, pictures, troubleOf(err))
	}
	keep := context.WithoutCancel(ctx) // the call was made, whoever waits for it
	if call.ID == "" {
		return Done{}, a.Store.CommentVerification(keep, run.ID, said, nil)
	}
	if err := a.ModelCalls.SaveCall(keep, call); err != nil {
		return Done{}, err
	}
	return Done{}, a.Store.CommentVerification(keep, run.ID, said, &call.ID)
}

// GiveUpReview makes the built-in comment where the one that asked was lost: whether a model
// was asked nobody can see.
func (a *Verification) GiveUpReview(ctx context.Context, in ReviewPageInput) (Done, error) {
	run, _, checks, err := a.reviewed(ctx, in)
	if err != nil || run == nil {
		return Done{}, err
	}
	trouble := ""
	if a.Vision != nil {
		trouble = "The step that asked the model was lost."
	}
	return Done{}, a.Store.CommentVerification(ctx, run.ID, builtIn(ctx, *run, checks, nil, trouble), nil)
}

// reviewed is a run that has no comment yet, with what was seen of it; nil: it needs none any more.
func (a *Verification) reviewed(ctx context.Context, in ReviewPageInput) (*verification.Run, []verification.Shot, []verification.Check, error) {
	run, err := a.Store.Verification(ctx, in.VerificationID)
	if err != nil || run.Comment != nil || run.Stage == verification.Ended {
		return nil, nil, nil, err
	}
	shots, err := a.Shots.Screenshots(ctx, run.ID)
	return &run, shots, checksOf(in.Answers, everyView(run.ID, shots)), err
}

// pictures are those of a run, by the names of their views. One that is gone is left out.
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
			slog.WarnContext(ctx, "a picture could not be read again", "verification_id", shot.RunID, "error", err)
			continue
		}
		found[verification.ViewName(shot.Theme, shot.Viewport)] = png
	}
	return found, nil
}

// builtIn is the built-in comment. trouble says why no model's stands there.
func builtIn(ctx context.Context, run verification.Run, checks []verification.Check, pictures map[string][]byte, trouble string) verification.Comment {
	measured := map[string]verification.Measured{}
	for view, png := range pictures {
		m, err := screenshot.Measure(png)
		if err != nil {
			slog.WarnContext(ctx, "a picture could not be measured", "verification_id", run.ID, "error", err)
			continue
		}
		measured[view] = m
	}
	said := verification.Analyse(run.Prompt, checks, measured)
	said.By, said.BuiltIn, said.Trouble = verification.BuiltIn, true, trouble
	return said
}

func troubleOf(err error) string {
	if failed, ok := errors.AsType[*model.Error](err); ok {
		return failed.Message
	}
	return "The model gave no answer."
}

// page is the input of the prompt "verification". All of it is data: the text is the page's own
// words, the criteria are somebody else's.
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

// verdictOnPage is the answer that the prompt asks for.
type verdictOnPage struct {
	Summary  string                   `json:"summary"`
	Doubts   bool                     `json:"doubts"`
	Criteria []verification.Criterion `json:"criteria"`
}

func (a *Verification) askModel(ctx context.Context, run verification.Run, checks []verification.Check, shots []verification.Shot, pictures map[string][]byte) (verification.Comment, model.Call, error) {
	asked := verification.Criteria(run.Prompt)
	question, err := model.NewPrompt("verification", pageOf(run, checks, shots, asked))
	if err != nil {
		return verification.Comment{}, model.Call{}, err
	}
	answer, call, err := a.Vision.Review(ctx, question, shown(pictures))
	if err != nil {
		return verification.Comment{}, call, err
	}
	var said verdictOnPage
	if err := json.Unmarshal(answer, &said); err != nil {
		return verification.Comment{}, call, err
	}
	comment := verification.Settle(verification.Comment{By: call.Model, Text: said.Summary, Doubts: said.Doubts, Criteria: said.Criteria}, asked)
	return comment, call, nil
}

func pageOf(run verification.Run, checks []verification.Check, shots []verification.Shot, asked []string) page {
	told := page{Path: run.Path, Checks: make([]pageCheck, len(checks)), Criteria: append([]string{}, asked...)}
	for i, c := range checks {
		told.Checks[i] = pageCheck{Kind: c.Kind, Subject: c.Subject, State: c.State, Message: cut(c.Message, toldMessage)}
	}
	for _, shot := range shots {
		if shot.Facts != nil && shot.Facts.Text != "" {
			told.Text = cut(shot.Facts.Text, toldText)
			break
		}
	}
	return told
}

// shown are the pictures that a model sees: each costs. The dark ones differ in colours only.
func shown(pictures map[string][]byte) [][]byte {
	var light, dark [][]byte
	for _, view := range verification.Views() {
		png, there := pictures[verification.ViewName(view.Theme, view.Viewport.Name)]
		switch {
		case there && view.Theme == verification.Light:
			light = append(light, png)
		case there:
			dark = append(dark, png)
		}
	}
	if len(light) == 0 {
		return dark
	}
	return light
}

// cut takes so many bytes at most, and no half of a character.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}
