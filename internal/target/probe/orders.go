package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// orderWithin bounds an order: the slowest starts a process and waits until it answers.
const orderWithin = 20 * time.Second

// Inspect asks the supervisor what it sees of its chaos target.
func (p *Prober) Inspect(ctx context.Context) (target.Inspection, error) {
	return ask[target.Inspection](ctx, p, http.MethodGet, target.PathInspect, nil)
}

// Manifest asks for the signed list of the critical files.
func (p *Prober) Manifest(ctx context.Context) (target.Signed, error) {
	return ask[target.Signed](ctx, p, http.MethodGet, target.PathManifest, nil)
}

// Break orders a fault under a lease. Returns CellRefused when it cannot be broken now, and
// FaultUnknown when there is no such fault.
func (p *Prober) Break(ctx context.Context, fault string, order target.Break) (target.Broken, error) {
	return ask[target.Broken](ctx, p, http.MethodPost, target.PathFaults+"/"+url.PathEscape(fault), order)
}

// EndLease takes the fault of a run back, if it is there still.
func (p *Prober) EndLease(ctx context.Context, runID string) error {
	return p.order(ctx, target.PathLease, target.LeaseEnd{RunID: runID})
}

// RestoreFiles puts critical files back from the golden copy: those named, or all that are wrong.
func (p *Prober) RestoreFiles(ctx context.Context, names []string) error {
	return p.order(ctx, target.PathFiles, target.RestoreFiles{Names: names})
}

// RestoreDatabase puts the last good snapshot back, and starts the process anew.
func (p *Prober) RestoreDatabase(ctx context.Context) error {
	return p.order(ctx, target.PathDatabase, nil)
}

// Restart starts the process anew.
func (p *Prober) Restart(ctx context.Context) error { return p.order(ctx, target.PathProcess, nil) }

func (p *Prober) order(ctx context.Context, path string, body any) error {
	_, err := ask[struct{}](ctx, p, http.MethodPost, path, body)
	return err
}

// ask sends the supervisor a word and reads its answer.
func ask[Answer any](ctx context.Context, p *Prober, method, path string, body any) (said Answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, orderWithin)
	defer cancel()
	status, text, err := p.tell(ctx, method, path, body)
	switch {
	case err != nil:
		return said, fmt.Errorf("the keeper of the cell does not answer: %w", err)
	case status >= http.StatusMultipleChoices:
		return said, refusal(status, text)
	case len(bytes.TrimSpace(text)) == 0:
		return said, nil
	}
	return said, json.Unmarshal(text, &said)
}

// tell makes one call of the supervisor.
func (p *Prober) tell(ctx context.Context, method, path string, body any) (status int, text []byte, err error) {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return 0, nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, p.keeperURL+path, &sent)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+p.key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := p.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err = readBounded(answer.Body)
	return answer.StatusCode, text, err
}

// refusal is what the supervisor said instead of doing it. Only 409 and 404 are final: whatever
// else was wrong may pass.
func refusal(status int, body []byte) error {
	var said target.Refusal
	if json.Unmarshal(body, &said) != nil || said.Error == "" {
		said.Error = fmt.Sprintf("The keeper of the cell answers %d.", status)
	}
	switch status {
	case http.StatusConflict:
		return problem.New(problem.CellRefused, "%s", said.Error)
	case http.StatusNotFound:
		return problem.New(problem.FaultUnknown, "%s", said.Error)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("the keeper of the cell does not know our key: correct CHAOS_TARGET_KEY")
	}
	return fmt.Errorf("the keeper of the cell could not do it: %s", said.Error)
}
