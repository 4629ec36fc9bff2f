package workflows_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
	"customerzero/workflows"
)

// fakeImages stores images in memory.
type fakeImages struct {
	mu    sync.Mutex
	files map[string][]byte
	kept  map[string]bool // by the last sweep; nil without one
	full  error
}

func newFakeImages() *fakeImages { return &fakeImages{files: map[string][]byte{}} }

func (d *fakeImages) Put(_ context.Context, data []byte) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	sum := sha256.Sum256(data)
	key := hex.EncodeToString(sum[:])
	d.files[key] = data
	return key, nil
}

func (d *fakeImages) Get(_ context.Context, key string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	data, there := d.files[key]
	if !there {
		return nil, problem.New(problem.NotFound, "There is no such picture.")
	}
	return data, nil
}

func (d *fakeImages) Sweep(_ context.Context, keep map[string]bool, _ time.Time) (int, error) {
	d.kept = keep
	return 0, d.full
}

// pngOf draws an image whose element moves by shift.
func pngOf(shift int) []byte {
	picture := image.NewRGBA(image.Rect(0, 0, 64, 48))
	for x := range 64 {
		for y := range 48 {
			c := color.RGBA{R: uint8(x * 4), G: uint8(y * 5), B: 120, A: 255}
			if x >= 10+shift && x < 20+shift && y > 10 && y < 30 {
				c = color.RGBA{A: 255}
			}
			picture.Set(x, y, c)
		}
	}
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, picture); err != nil {
		panic(err)
	}
	return encoded.Bytes()
}

// fakeVision is a fake vision model.
type fakeVision struct {
	says  string
	fails error
	mu    sync.Mutex
	asked []model.Prompt
	shown int // images of the last call
}

func (s *fakeVision) Review(_ context.Context, q model.Prompt, pictures [][]byte) (json.RawMessage, model.Call, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.shown = append(s.asked, q), len(pictures)
	call := model.Call{ID: "call-1", Task: q.Task, Prompt: q.Version, Model: "test:eyes", Outcome: model.Answered, Answer: s.says}
	if s.fails != nil {
		call.Outcome = model.Failed
		return nil, call, s.fails
	}
	return json.RawMessage(s.says), call, nil
}

// verificationWorld is a verification and its surroundings: a site that answers, and a browser.
type verificationWorld struct {
	*stage
	acts     *activities.Verification
	pictures *fakeImages
	asking   string         // the row's ID; empty for a scheduled run
	prompt   string         // criteria of the request
	statuses map[string]int // error statuses by path
	looked   func(n int)    // called before the n-th capture
	sees     func(n int, seen *verification.Capture) error

	mu    sync.Mutex
	looks int
}

func newVerificationWorld(t *testing.T) *verificationWorld {
	i := &verificationWorld{
		stage: newStage(t), pictures: newFakeImages(), asking: "v1", statuses: map[string]int{},
		looked: func(int) {}, sees: func(int, *verification.Capture) error { return nil },
	}
	site := httptest.NewServer(i)
	t.Cleanup(site.Close)
	i.acts = &activities.Verification{
		Store: i.db.Verifications, Shots: i.db.Verifications, ModelCalls: i.db.ModelCalls, Browser: i, Pictures: i.pictures, HTTP: site.Client(), Sites: []string{site.URL}, Now: i.env.Now,
	}
	i.env.RegisterActivity(i.acts)
	return i
}

func (i *verificationWorld) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind := "application/json"
	if r.URL.Path == "/" {
		kind = "text/html; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	if status := i.statuses[r.URL.Path]; status != 0 {
		w.WriteHeader(status)
	}
	_, _ = w.Write([]byte("{}"))
}

func (i *verificationWorld) Look(ctx context.Context, l verification.PageRequest) (verification.Capture, error) {
	i.mu.Lock()
	i.looks++
	n := i.looks
	i.mu.Unlock()
	i.looked(n)
	seen := verification.Capture{PNG: pngOf(0), Facts: verification.Facts{
		Status: http.StatusOK, FinalURL: l.URL, Title: "Customer Zero", Landmarks: verification.Landmarks, Headings: 1,
		Axe: []verification.Violation{}, Text: "A social bot that you can audit.", Width: 64, Height: 48, Browser: "Chromium 1.2",
	}}
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.sees(n, &seen); err != nil {
		return verification.Capture{}, err
	}
	return seen, ctx.Err()
}

func (i *verificationWorld) request(t *testing.T) {
	t.Helper()
	front := must(verification.ParseTarget("", i.acts.Sites))
	key := "visitor"
	require.NoError(t, i.db.Verifications.RequestVerification(t.Context(), verification.Run{
		ID: i.asking, URL: front.URL, Path: front.Path, Prompt: i.prompt, RequestedBy: verification.Visitors, OpenKey: &key,
		Stage: verification.Requested, RequestedAt: begin,
	}, account.Asker{}))
}

// inspect runs the workflow and reads its row.
func (i *verificationWorld) inspect(t *testing.T) (verification.Run, []verification.Shot) {
	if i.asking != "" {
		i.request(t)
	}
	return i.play(t)
}

func (i *verificationWorld) play(t *testing.T) (verification.Run, []verification.Shot) {
	t.Helper()
	result := run[workflows.VerificationResult](t, i.env, workflows.Verification, workflows.VerificationInput{VerificationID: i.asking})
	if i.asking != "" {
		require.Equal(t, i.asking, result.VerificationID)
	}
	run := must(i.db.Verifications.Verification(t.Context(), result.VerificationID))
	require.Equal(t, verification.Ended, run.Stage, "the row ends in any case")
	require.Equal(t, run.ChecksVerdict, result.Checked, "the row and the run tell the same")
	require.Equal(t, run.Verdict, result.Verdict)
	require.Nil(t, run.OpenKey, "the next one may begin")
	require.Nil(t, i.pictures.kept, "a run tidies nothing up")
	shots := must(i.db.Verifications.Screenshots(t.Context(), run.ID))
	return run, shots
}

// failedChecks lists the failed checks, like "console light wide".
func failedChecks(r verification.Run) string {
	var names []string
	for _, c := range r.Checks {
		if c.State == verification.Fail {
			names = append(names, string(c.Kind)+" "+c.Subject)
		}
	}
	return strings.Join(names, ", ")
}
