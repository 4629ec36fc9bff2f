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
	// askedWithin is how long an endpoint may take to answer.
	askedWithin = 5 * time.Second
	// readAtMost is how much of an answer is read.
	readAtMost = 1 << 20
)

// CheckEndpointsResult is what the endpoints said, in their order.
type CheckEndpointsResult struct{ Answers []verification.Answer }

// CheckEndpoints asks the public endpoints of the site that the page belongs to, all at once.
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
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // what it says itself counts
	answers := make([]verification.Answer, len(verification.Endpoints))
	var asking sync.WaitGroup
	for i, endpoint := range verification.Endpoints {
		asking.Go(func() { answers[i] = a.askOne(ctx, &client, page.Scheme+"://"+page.Host, endpoint.Path) })
	}
	asking.Wait()
	return CheckEndpointsResult{Answers: answers}, ctx.Err()
}

func (a *Verification) askOne(ctx context.Context, client *http.Client, origin, path string) (said verification.Answer) {
	ctx, cancel := context.WithTimeout(ctx, askedWithin)
	defer cancel()
	began := a.Now()
	said.Path = path
	defer func() { said.TookMS = int(a.Now().Sub(began).Milliseconds()) }()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+path, http.NoBody)
	if err != nil {
		said.Error = "Its address cannot be read."
		return said
	}
	answer, err := client.Do(request)
	if err != nil {
		said.Error = unanswered(err, "It cannot be reached.")
		return said
	}
	defer func() { _ = answer.Body.Close() }()
	said.Status = answer.StatusCode
	said.ContentType, _, _ = mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if _, err := io.Copy(io.Discard, io.LimitReader(answer.Body, readAtMost)); err != nil {
		said.Status, said.Error = 0, unanswered(err, "Its answer broke off.")
	}
	return said
}

// unanswered says why there was no answer. What a transport says could hold an address.
func unanswered(err error, otherwise string) string {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return "It did not answer within 5 seconds."
	}
	return otherwise
}

// checksOf judges all that was seen.
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
	asked := slices.IndexFunc(answers, func(a verification.Answer) bool { return a.Path == e.Path })
	if asked < 0 {
		return verification.Check{
			Kind: verification.CheckEndpoint, Subject: "GET " + e.Path, State: verification.Skip,
			Message: "It was not asked: the worker was lost.",
		}
	}
	return verification.EndpointCheck(e, answers[asked])
}

// everyView adds the views that nobody has seen, in their places: what is missing must not pass.
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
			RunID: runID, Theme: view.Theme, Viewport: view.Viewport.Name, Error: "Nobody looked at it: the worker was lost.",
		})
	}
	return all
}

func isView(s verification.Shot, v verification.View) bool {
	return s.Theme == v.Theme && s.Viewport == v.Viewport.Name
}
