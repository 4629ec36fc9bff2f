package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	xsandbox "customerzero/internal/sandbox/x"
)

const (
	duePosts  = 50
	dueWithin = 30 * time.Second
	dueLead   = 8 * time.Second // time to write all of them
	callTakes = time.Second     // until X has been called for an armed post

	killPosts  = 20 // due while the product is killed and restarted
	killWithin = 16 * time.Second
)

// Seconds after the due time. With the default POST_SEND_TIMEOUT of 10 s, the timeline is read after 25 s and
// again after 50 s.
const (
	lateTarget   = 1.0
	killedTarget = 45.0
)

type dues struct {
	posting *posting
	at      map[string]time.Time // by text
	ids     map[string]string
}

// lateness measures how late posts reach X: in normal operation, and when the product is killed while posts are
// due and being sent.
func (b *bench) lateness(ctx context.Context) (found []figure, err error) {
	err = b.onPosting(ctx, func(p *posting) error {
		calm, err := p.schedule(ctx, "calm", duePosts, dueWithin)
		if err != nil {
			return err
		}
		late, err := calm.arrive(ctx, p.cameAt)
		if err != nil {
			return err
		}
		found = append(found, lateFigure(fmt.Sprintf("%d posts due within %v, 99 of 100", duePosts, dueWithin), at(late, 0.99), lateTarget))
		killed, err := p.killed(ctx)
		found = append(found, killed...)
		return err
	})
	return found, err
}

func lateFigure(what string, late time.Duration, most float64) figure {
	return figure{Subject: "Lateness of posts", What: what, Unit: "s", Ours: late.Seconds(), Target: atMost(most)}
}

// schedule writes n posts whose due times are spread over within.
func (p *posting) schedule(ctx context.Context, name string, n int, within time.Duration) (dues, error) {
	d := dues{posting: p, at: map[string]time.Time{}, ids: map[string]string{}}
	first := time.Now().Add(dueLead)
	for i := range n {
		text := fmt.Sprintf("%s, post %d", name, i)
		if err := d.write(ctx, text, first.Add(within*time.Duration(i)/time.Duration(n))); err != nil {
			return d, err
		}
	}
	if time.Now().After(first) {
		return d, fmt.Errorf("%d posts took longer than %v to write", n, dueLead)
	}
	return d, nil
}

func (d *dues) write(ctx context.Context, text string, due time.Time) (err error) {
	due = due.Truncate(time.Microsecond) // the databases' precision
	d.at[text] = due
	d.ids[text], err = d.posting.write(ctx, text, due)
	return err
}

// arrive waits until X has accepted all posts and returns how late each was.
func (d *dues) arrive(ctx context.Context, cameAt func(text string) time.Time) (late []time.Duration, err error) {
	for text, due := range d.at {
		var at time.Time
		err := repeat(ctx, func() (bool, error) {
			at = cameAt(text)
			return !at.IsZero(), nil
		})
		if err != nil {
			return nil, fmt.Errorf("%q was not sent: %w", text, err)
		}
		if at.Before(due) {
			return nil, fmt.Errorf("%q was sent %v too early", text, due.Sub(at))
		}
		late = append(late, at.Sub(due))
	}
	return late, nil
}

// killed kills the product while posts are due and two are being sent: one that X has accepted without a response,
// and one that does not reach X.
func (p *posting) killed(ctx context.Context) ([]figure, error) {
	const taken, lost = "accepted, then killed", "lost, then killed"
	around, err := p.schedule(ctx, "around the kill", killPosts, killWithin)
	if err != nil {
		return nil, err
	}
	underWay := dues{posting: p, at: map[string]time.Time{}, ids: map[string]string{}}
	if err := errors.Join(underWay.hang(ctx, taken, xsandbox.HangAfter), underWay.hang(ctx, lost, xsandbox.HangBefore)); err != nil {
		return nil, err
	}
	first := slices.MinFunc(slices.Collect(maps.Values(around.at)), time.Time.Compare)
	if err := pass(ctx, time.Until(first)); err != nil {
		return nil, err
	}
	if err := p.up.running.Process.Kill(); err != nil {
		return nil, err
	}
	_ = p.up.running.Wait() // it reports the kill
	if _, err := p.up.start(ctx); err != nil {
		return nil, err
	}
	p.founder.URL = p.up.site // the address has changed
	var late []time.Duration
	var known, sent time.Duration
	waiting, ctx := errgroup.WithContext(ctx)
	waiting.Go(func() (err error) { late, err = around.arrive(ctx, p.cameAt); return err })
	waiting.Go(func() (err error) { known, err = underWay.settle(ctx, taken); return err })
	waiting.Go(func() (err error) {
		_, err = underWay.settle(ctx, lost)
		sent = p.cameAt(lost).Sub(underWay.at[lost])
		return err
	})
	if err := waiting.Wait(); err != nil {
		return nil, err
	}
	return []figure{
		lateFigure("the latest of the posts due during SIGKILL and restart of all processes", slices.Max(late), killedTarget),
		lateFigure("one that X had accepted when its process was killed, until it is published", known, killedTarget),
		lateFigure("one whose request was lost with its process, until it is sent again", sent, killedTarget),
	}, nil
}

// hang writes a post for now whose call X does not answer.
func (d *dues) hang(ctx context.Context, text string, how xsandbox.Fault) (err error) {
	rule := xsandbox.Rule{On: xsandbox.OnPost, Fault: how, Times: 1}
	if err := d.posting.x.SetFaults(xsandbox.Faults{Rules: []xsandbox.Rule{rule}}); err != nil {
		return err
	}
	d.at[text] = time.Now()
	if d.ids[text], err = d.posting.write(ctx, text, time.Time{}); err != nil {
		return err
	}
	if err := d.posting.becomes(ctx, d.ids[text], "armed"); err != nil {
		return err
	}
	return pass(ctx, callTakes)
}

// settle waits until a post is published and returns the time since it was due.
func (d *dues) settle(ctx context.Context, text string) (time.Duration, error) {
	if err := d.posting.becomes(ctx, d.ids[text], "published"); err != nil {
		return 0, fmt.Errorf("%q was not published: %w", text, err)
	}
	return time.Since(d.at[text]), nil
}
