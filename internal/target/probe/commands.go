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

// commandTimeout bounds a command: the slowest starts a process and waits until it answers.
const commandTimeout = 20 * time.Second

// Inspect returns the supervisor's inspection of the chaos target.
func (p *Prober) Inspect(ctx context.Context) (target.Inspection, error) {
	return command[target.Inspection](ctx, p, http.MethodGet, target.PathInspect, nil)
}

// Manifest returns the signed list of the critical files.
func (p *Prober) Manifest(ctx context.Context) (target.Signed, error) {
	return command[target.Signed](ctx, p, http.MethodGet, target.PathManifest, nil)
}

// Break injects a fault under a lease. Returns TargetRefused when it cannot be broken now, and
// FaultUnknown when there is no such fault.
func (p *Prober) Break(ctx context.Context, fault string, in target.Break) (target.Broken, error) {
	return command[target.Broken](ctx, p, http.MethodPost, target.PathFaults+"/"+url.PathEscape(fault), in)
}

// EndLease reverts the fault of a run, if it is still injected.
func (p *Prober) EndLease(ctx context.Context, runID string) error {
	return p.post(ctx, target.PathLease, target.LeaseEnd{RunID: runID})
}

// RestoreFiles puts critical files back from the golden copy: those named, or all that are wrong.
func (p *Prober) RestoreFiles(ctx context.Context, names []string) error {
	return p.post(ctx, target.PathFiles, target.RestoreFiles{Names: names})
}

// RestoreDatabase restores the last good snapshot and restarts the process.
func (p *Prober) RestoreDatabase(ctx context.Context) error {
	return p.post(ctx, target.PathDatabase, nil)
}

// Restart restarts the process.
func (p *Prober) Restart(ctx context.Context) error { return p.post(ctx, target.PathProcess, nil) }

func (p *Prober) post(ctx context.Context, path string, body any) error {
	_, err := command[struct{}](ctx, p, http.MethodPost, path, body)
	return err
}

// command calls the supervisor and decodes its reply.
func command[Answer any](ctx context.Context, p *Prober, method, path string, body any) (said Answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	status, text, err := p.send(ctx, method, path, body)
	switch {
	case err != nil:
		return said, fmt.Errorf("the supervisor of the chaos target does not answer: %w", err)
	case status >= http.StatusMultipleChoices:
		return said, refusal(status, text)
	case len(bytes.TrimSpace(text)) == 0:
		return said, nil
	}
	return said, json.Unmarshal(text, &said)
}

// send makes one call of the supervisor.
func (p *Prober) send(ctx context.Context, method, path string, body any) (status int, text []byte, err error) {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return 0, nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, p.supervisorURL+path, &sent)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+p.key)
	request.Header.Set("Content-Type", "application/json")
	return p.exchange(request)
}

// refusal is the error of a command that failed. Only 409 and 404 are final; others may pass.
func refusal(status int, body []byte) error {
	var said target.Refusal
	if json.Unmarshal(body, &said) != nil || said.Error == "" {
		said.Error = fmt.Sprintf("The supervisor of the chaos target answers %d.", status)
	}
	switch status {
	case http.StatusConflict:
		return problem.New(problem.TargetRefused, "%s", said.Error)
	case http.StatusNotFound:
		return problem.New(problem.FaultUnknown, "%s", said.Error)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("the supervisor of the chaos target does not know our key: correct CHAOS_TARGET_KEY")
	}
	return fmt.Errorf("the supervisor of the chaos target could not do it: %s", said.Error)
}
