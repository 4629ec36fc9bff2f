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

// commandTimeout limits a command. The slowest restarts the process and waits until it responds.
const commandTimeout = 20 * time.Second

func (p *Prober) Inspect(ctx context.Context) (target.Inspection, error) {
	return command[target.Inspection](ctx, p, http.MethodGet, target.PathInspect, nil)
}

// Manifest returns the signed list of the critical files.
func (p *Prober) Manifest(ctx context.Context) (target.Signed, error) {
	return command[target.Signed](ctx, p, http.MethodGet, target.PathManifest, nil)
}

// Break injects a fault under a lease. It returns TargetRefused if the fault cannot be injected now, and
// FaultUnknown for an unknown fault.
func (p *Prober) Break(ctx context.Context, fault string, in target.Break) (target.Broken, error) {
	return command[target.Broken](ctx, p, http.MethodPost, target.PathFaults+"/"+url.PathEscape(fault), in)
}

// EndLease reverts the fault of a run, if it is still injected.
func (p *Prober) EndLease(ctx context.Context, runID string) error {
	return p.post(ctx, target.PathLease, target.LeaseEnd{RunID: runID})
}

// RestoreFiles restores the named critical files from the golden copy, or all that differ.
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
func command[Answer any](ctx context.Context, p *Prober, method, path string, body any) (reply Answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	status, text, err := p.send(ctx, method, path, body)
	switch {
	case err != nil:
		return reply, fmt.Errorf("the supervisor of the chaos target did not respond: %w", err)
	case status >= http.StatusMultipleChoices:
		return reply, refusal(status, text)
	case len(bytes.TrimSpace(text)) == 0:
		return reply, nil
	}
	return reply, json.Unmarshal(text, &reply)
}

// send makes one request to the supervisor.
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

// refusal returns the error of a failed command. Only 409 and 404 are final.
func refusal(status int, body []byte) error {
	var reply target.Refusal
	if json.Unmarshal(body, &reply) != nil || reply.Error == "" {
		reply.Error = fmt.Sprintf("The supervisor of the chaos target returned status %d.", status)
	}
	switch status {
	case http.StatusConflict:
		return problem.New(problem.TargetRefused, "%s", reply.Error)
	case http.StatusNotFound:
		return problem.New(problem.FaultUnknown, "%s", reply.Error)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("the supervisor of the chaos target rejected our key: correct CHAOS_TARGET_KEY")
	}
	return fmt.Errorf("the supervisor of the chaos target could not execute the command: %s", reply.Error)
}
