package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
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
	founder  caller
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
	key, err := p.up.adminKey()
	if err != nil {
		return err
	}
	p.founder = caller{site: p.up.site, header: http.Header{"X-Admin-Key": {key}}}
	where := p.up.temporal()
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
	_, err = p.founder.call(ctx, http.MethodPost, "/api/posts", body, &reply)
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

// published says whether the product knows that a post is public.
func (p *posting) published(ctx context.Context, id string) (bool, error) {
	var post struct{ Status string }
	_, err := p.founder.call(ctx, http.MethodGet, "/api/posts/"+id, nil, &post)
	return post.Status == "published", err
}
