package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
	temporallog "go.temporal.io/sdk/log"

	"customerzero/internal/platform/temporal/launcher"
	"customerzero/workflows"
)

// posting is a fresh product whose X is ours, with what speaks to both as founders do.
type posting struct {
	up       *upProduct
	x        *xStandIn
	temporal client.Client
	key      string // the founders'
}

func (b *bench) onPosting(ctx context.Context, do func(p *posting) error) (err error) {
	x, err := startX()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	return b.onFresh(ctx, func(up *upProduct) error {
		p := &posting{up: up, x: x}
		if err := p.meet(ctx); err != nil {
			return err
		}
		defer p.temporal.Close()
		return do(p)
	}, x.settings()...)
}

// meet reads what the product left in its directory, and dials its Temporal server.
func (p *posting) meet(ctx context.Context) error {
	key, err := os.ReadFile(filepath.Join(p.up.data, "admin-key"))
	if err != nil {
		return err
	}
	p.key = strings.TrimSpace(string(key))
	where := temporalOf(p.up)
	p.temporal, err = client.DialContext(ctx, client.Options{
		HostPort: where, ConnectionOptions: launcher.Connection(where),
		Logger: temporallog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	return err
}

// written is the answer to whoever changed a post.
type written struct{ Post struct{ ID string } }

// write writes a post, for now or for later.
func (p *posting) write(ctx context.Context, text string, due time.Time) (id string, err error) {
	body := map[string]string{"content": text}
	if !due.IsZero() {
		body["scheduledAt"] = due.Format(time.RFC3339Nano)
	}
	var reply written
	err = p.ask(ctx, http.MethodPost, "/api/posts", body, &reply)
	return reply.Post.ID, err
}

// publish writes a post for now, and waits until its run has ended.
func (p *posting) publish(ctx context.Context, text string) error {
	id, err := p.write(ctx, text, time.Time{})
	if err != nil {
		return err
	}
	var ended struct{ Status string }
	if err := p.temporal.GetWorkflow(ctx, workflows.PostID(id), "").Get(ctx, &ended); err != nil {
		return err
	}
	if ended.Status != "published" {
		return fmt.Errorf("the post %s is %s", id, ended.Status)
	}
	return nil
}

// takeBack cancels a post.
func (p *posting) takeBack(ctx context.Context, id string) error {
	return p.ask(ctx, http.MethodDelete, "/api/posts/"+id, nil, &written{})
}

// published says whether the product knows that a post is public.
func (p *posting) published(ctx context.Context, id string) (bool, error) {
	var post struct{ Status string }
	err := p.ask(ctx, http.MethodGet, "/api/posts/"+id, nil, &post)
	return post.Status == "published", err
}

func (p *posting) ask(ctx context.Context, method, path string, body, reply any) error {
	var sent io.Reader = http.NoBody
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, p.up.site+path, sent)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Admin-Key", p.key)
	resp, err := (&http.Client{Transport: connections, Timeout: time.Minute}).Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return err
	case resp.StatusCode >= http.StatusBadRequest:
		return fmt.Errorf("%s %s answered %d: %s", method, path, resp.StatusCode, answer)
	}
	return json.Unmarshal(answer, reply)
}
