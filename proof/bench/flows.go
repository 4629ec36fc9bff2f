package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rs/xid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"golang.org/x/sync/errgroup"

	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
	"customerzero/workflows"
)

// posting is a fresh product with its X sandbox in this process, and clients of its API and Temporal server.
type posting struct {
	up       *upProduct
	x        *rig.X
	temporal client.Client
	founder  *rig.Caller
}

func (b *bench) onPosting(ctx context.Context, do func(p *posting) error) (err error) {
	x, err := rig.StartX(nil)
	if err != nil {
		return err
	}
	defer x.Close()
	return b.onFresh(ctx, func(up *upProduct) error {
		p := &posting{up: up, x: x}
		if err := p.meet(ctx); err != nil {
			return err
		}
		defer p.temporal.Close()
		return do(p)
	}, x.Settings()...)
}

// meet reads the product's admin key and connects to its Temporal server.
func (p *posting) meet(ctx context.Context) error {
	key, err := p.up.adminKey()
	if err != nil {
		return err
	}
	p.founder = callerOf(p.up.site, http.Header{"X-Admin-Key": {key}})
	p.temporal, err = cluster.DialTemporal(ctx, p.up.temporal())
	return err
}

// written is the response to a change of a post.
type written struct{ Post struct{ ID string } }

// write writes a post, for now if due is zero.
func (p *posting) write(ctx context.Context, text string, due time.Time) (id string, err error) {
	body := map[string]string{"content": text}
	if !due.IsZero() {
		body["scheduledAt"] = due.Format(time.RFC3339Nano)
	}
	var reply written
	err = ask(ctx, p.founder, http.MethodPost, "/api/posts", body, &reply)
	return reply.Post.ID, err
}

// publish writes a post for now and waits until its run has ended.
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

func (p *posting) becomes(ctx context.Context, id, status string) error {
	return repeat(ctx, func() (bool, error) {
		var post struct{ Status string }
		err := ask(ctx, p.founder, http.MethodGet, "/api/posts/"+id, nil, &post)
		return post.Status == status, err
	})
}

// cameAt is when X accepted a text, or zero.
func (p *posting) cameAt(text string) (at time.Time) {
	for _, tweet := range p.x.Tweets() {
		if tweet.Text == text {
			at = tweet.CreatedAt
		}
	}
	return at
}

// Numbers of workflows of each kind. A month has room for 500 posts.
const (
	flowRounds   = 6
	flowsAlone   = 8  // per round, one after the other
	flowsCrowd   = 48 // per round, flowsAtOnce at a time
	flowsAtOnce  = 16
	flowsWarming = 16
)

// The activities of a post do real work, those of the bare workflow none.
const (
	aloneTarget = 1.15 // of the time of a bare workflow
	crowdTarget = 0.8  // of the rate of bare workflows
)

type flows struct {
	alone []time.Duration
	rates []float64 // workflows a second, one value per round
}

type carry func(ctx context.Context) error

// posting measures posts from the request to the end of their runs, in turns with workflows of the same shape
// without work, on the same server.
func (b *bench) posting(ctx context.Context) ([]figure, error) {
	var bare, posts flows
	err := b.onPosting(ctx, func(p *posting) error {
		baseline, err := startBare(p.temporal)
		if err != nil {
			return err
		}
		defer baseline.worker.Stop()
		var number atomic.Int64
		turns := []struct {
			run   carry
			found *flows
		}{
			{baseline.run, &bare},
			{func(ctx context.Context) error { return p.publish(ctx, fmt.Sprintf("Post %d", number.Add(1))) }, &posts},
		}
		for _, turn := range turns {
			if _, err := together(ctx, flowsWarming, turn.run); err != nil {
				return err
			}
		}
		for range flowRounds {
			for _, turn := range turns {
				if err := turn.found.round(ctx, turn.run); err != nil {
					return err
				}
			}
			slices.Reverse(turns)
		}
		return nil
	})
	return flowFigures(bare, posts), err
}

func (f *flows) round(ctx context.Context, run carry) error {
	for range flowsAlone {
		began := time.Now()
		if err := run(ctx); err != nil {
			return err
		}
		f.alone = append(f.alone, time.Since(began))
	}
	rate, err := together(ctx, flowsCrowd, run)
	f.rates = append(f.rates, rate)
	return err
}

// together runs n workflows, flowsAtOnce at a time, and returns the rate per second.
func together(ctx context.Context, n int, run carry) (rate float64, err error) {
	crowd, ctx := errgroup.WithContext(ctx)
	crowd.SetLimit(flowsAtOnce)
	began := time.Now()
	for range n {
		crowd.Go(func() error { return run(ctx) })
	}
	err = crowd.Wait()
	return float64(n) / time.Since(began).Seconds(), err
}

func flowFigures(bare, posts flows) []figure {
	const subject = "Posting workflows"
	return []figure{
		{
			Subject: subject, What: "one after the other, from the request to the end, median", Unit: "ms", Beside: "a bare workflow of as many activities",
			Baseline: inMS(at(bare.alone, 0.5)), Ours: inMS(at(posts.alone, 0.5)), Target: atMost(aloneTarget),
		},
		{
			Subject: subject, What: fmt.Sprintf("%d at once, median of %d rounds", flowsAtOnce, flowRounds), Unit: "/s", Beside: "bare workflows of as many activities",
			Baseline: at(bare.rates, 0.5), Ours: at(posts.rates, 0.5), Target: atLeast(crowdTarget),
		},
	}
}

const bareQueue = "bench"

// bareFlow has the shape of a post's workflow without its work: a local activity, and an activity with one attempt.
func bareFlow(ctx workflow.Context) error {
	here := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: 5 * time.Second})
	if err := workflow.ExecuteLocalActivity(here, bareStep).Get(here, nil); err != nil {
		return err
	}
	once := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 15 * time.Second, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	return workflow.ExecuteActivity(once, bareStep).Get(once, nil)
}

func bareStep(context.Context) error { return nil }

// bareFlows is a worker of bareFlow on the product's Temporal server.
type bareFlows struct {
	temporal client.Client
	worker   worker.Worker
}

func startBare(c client.Client) (*bareFlows, error) {
	w := worker.New(c, bareQueue, worker.Options{MaxConcurrentActivityExecutionSize: 32}) // as the product's
	w.RegisterWorkflow(bareFlow)
	w.RegisterActivity(bareStep)
	return &bareFlows{c, w}, w.Start()
}

func (b *bareFlows) run(ctx context.Context) error {
	run, err := b.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: "bare:" + xid.New().String(), TaskQueue: bareQueue, EnableEagerStart: true,
	}, bareFlow)
	if err != nil {
		return err
	}
	return run.Get(ctx, nil)
}
