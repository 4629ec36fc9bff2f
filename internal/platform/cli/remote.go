package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"customerzero/api"
	"customerzero/internal/platform/config"
)

// remote talks to a running api, as the founders.
type remote struct {
	url, key string
	http     http.Client
}

func newRemote(cfg config.Config) (*remote, error) {
	key, err := findAdminKey(cfg)
	if err != nil {
		return nil, err
	}
	if key == "" {
		return nil, fmt.Errorf("there is no founders' key; start customerzero up first, or set ADMIN_KEY")
	}
	return &remote{url: findAddresses(cfg).URL, key: key, http: http.Client{Timeout: 5 * time.Minute, CheckRedirect: stay}}, nil
}

// call sends a body and reads the answer into reply; a refusal becomes its sentence.
func (r *remote) call(ctx context.Context, path, contentType string, body []byte, reply any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("X-Admin-Key", r.key)
	resp, err := r.http.Do(req)
	if err != nil {
		return fmt.Errorf("no customerzero answers at %s; start it with customerzero up, or set PUBLIC_URL", r.url)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return refusal(resp.StatusCode, text)
	}
	return json.Unmarshal(text, reply)
}

func refusal(status int, text []byte) error {
	var p api.Problem
	if json.Unmarshal(text, &p) != nil || p.Message == "" {
		return fmt.Errorf("the server answered %s", http.StatusText(status))
	}
	for _, d := range p.Details {
		p.Message += fmt.Sprintf("\n  %s: %s", d.Field, d.Reason)
	}
	return fmt.Errorf("%s (%s)", p.Message, p.Code)
}
