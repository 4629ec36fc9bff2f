package activities

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync"
	"time"

	"customerzero/internal/domain/verification"
)

const (
	// endpointTimeout bounds an endpoint call.
	endpointTimeout = 5 * time.Second
	// readAtMost bounds the bytes read of a response.
	readAtMost = 1 << 20
)

// CheckEndpointsResult holds the responses in the order of verification.Endpoints.
type CheckEndpointsResult struct{ Answers []verification.Answer }

// CheckEndpoints calls the public endpoints of the page's site concurrently.
func (a *Verification) CheckEndpoints(ctx context.Context, in VerificationRef) (CheckEndpointsResult, error) {
	run, err := a.Store.Verification(ctx, in.VerificationID)
	if err != nil {
		return CheckEndpointsResult{}, err
	}
	page, err := url.Parse(run.URL)
	if err != nil {
		return CheckEndpointsResult{}, err
	}
	client := *a.HTTP
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // a redirect is the result
	answers := make([]verification.Answer, len(verification.Endpoints))
	var calls sync.WaitGroup
	for i, endpoint := range verification.Endpoints {
		calls.Go(func() { answers[i] = a.callEndpoint(ctx, &client, page.Scheme+"://"+page.Host, endpoint.Path) })
	}
	calls.Wait()
	return CheckEndpointsResult{Answers: answers}, ctx.Err()
}

func (a *Verification) callEndpoint(ctx context.Context, client *http.Client, origin, path string) (result verification.Answer) {
	ctx, cancel := context.WithTimeout(ctx, endpointTimeout)
	defer cancel()
	began := a.Now()
	result.Path = path
	defer func() { result.TookMS = int(a.Now().Sub(began).Milliseconds()) }()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+path, http.NoBody)
	if err != nil {
		result.Error = "The address is invalid."
		return result
	}
	answer, err := client.Do(request)
	if err != nil {
		result.Error = unanswered(err, "The connection failed.")
		return result
	}
	defer func() { _ = answer.Body.Close() }()
	result.Status = answer.StatusCode
	result.ContentType, _, _ = mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if _, err := io.Copy(io.Discard, io.LimitReader(answer.Body, readAtMost)); err != nil {
		result.Status, result.Error = 0, unanswered(err, "The response was cut off.")
	}
	return result
}

// unanswered returns the reason for a missing response. A transport error's text could contain an
// address.
func unanswered(err error, otherwise string) string {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return "It took longer than 5 seconds."
	}
	return otherwise
}

func checksOf(answers []verification.Answer, shots []verification.Shot) []verification.Check {
	checks := make([]verification.Check, 0, len(verification.Endpoints)+7*len(shots))
	for _, endpoint := range verification.Endpoints {
		checks = append(checks, endpointCheck(endpoint, answers))
	}
	for _, shot := range shots {
		checks = append(checks, verification.ShotChecks(shot)...)
	}
	return checks
}

func endpointCheck(e verification.Endpoint, answers []verification.Answer) verification.Check {
	i := slices.IndexFunc(answers, func(a verification.Answer) bool { return a.Path == e.Path })
	if i < 0 {
		return verification.Check{
			Kind: verification.CheckEndpoint, Subject: "GET " + e.Path, State: verification.Skip,
			Message: "Not checked: the worker was lost.",
		}
	}
	return verification.EndpointCheck(e, answers[i])
}

// everyView adds the missing viewports in their places, so that they do not pass.
func everyView(runID string, shots []verification.Shot) []verification.Shot {
	views := verification.Views()
	all := make([]verification.Shot, 0, len(views))
	for _, view := range views {
		seen := slices.IndexFunc(shots, func(s verification.Shot) bool { return isView(s, view) })
		if seen >= 0 {
			all = append(all, shots[seen])
			continue
		}
		all = append(all, verification.Shot{
			RunID: runID, Theme: view.Theme, Viewport: view.Viewport.Name, Error: "Not captured: the worker was lost.",
		})
	}
	return all
}

func isView(s verification.Shot, v verification.View) bool {
	return s.Theme == v.Theme && s.Viewport == v.Viewport.Name
}
