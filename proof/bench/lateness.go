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
	dueLead   = 8 * time.Second // in which all of them are written
	callTakes = time.Second     // until X has been called for a post that is armed

	killPosts  = 20 // are due while the product is killed and started again
	killWithin = 16 * time.Second
)

// Seconds after its turn. With the deadline of a call to X at ten seconds, as it usually is,
// what became of a call is looked for after 25 s, and once more after 50 s.
const (
	lateTarget   = 1.0
	killedTarget = 45.0
)

// dues are posts that wait for their turn.
type dues struct {
	posting *posting
	at      map[string]time.Time // by text
	ids     map[string]string
}

// lateness says how long after its turn a post reaches X: when nothing happens, and when
// the product is killed while posts are due and under way.
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

// schedule writes posts that are due one after the other.
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
	due = due.Truncate(time.Microsecond) // what databases keep
	d.at[text] = due
	d.ids[text], err = d.posting.write(ctx, text, due)
	return err
}

// arrive waits until X has taken all of them, and says how late each was.
func (d *dues) arrive(ctx context.Context, cameAt func(text string) time.Time) (late []time.Duration, err error) {
	for text, due := range d.at {
		var at time.Time
		err := repeat(ctx, func() (bool, error) {
			at = cameAt(text)
			return !at.IsZero(), nil
		})
		if err != nil {
			return nil, fmt.Errorf("%q did not come: %w", text, err)
		}
		if at.Before(due) {
			return nil, fmt.Errorf("%q came %v too early", text, due.Sub(at))
		}
		late = append(late, at.Sub(due))
	}
	return late, nil
}

// killed kills the product while posts are due, and two are on their way: one that X has taken
// and has not answered, and one that X never hears of.
func (p *posting) killed(ctx context.Context) ([]figure, error) {
	const taken, lost = "taken, then killed", "lost, then killed"
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
	_ = p.up.running.Wait() // it was killed, and says so
	if _, err := p.up.start(ctx); err != nil {
		return nil, err
	}
	p.founder.URL = p.up.site // it has another address now
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
		lateFigure("everything is killed by SIGKILL and started again, posts due meanwhile, the latest", slices.Max(late), killedTarget),
		lateFigure("one that X had taken when its process was killed, until that is known", known, killedTarget),
		lateFigure("one whose request was lost with its process, until it is sent again", sent, killedTarget),
	}, nil
}

// hang writes a post for now, to whose call X does not answer.
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

// settle waits until the product knows that a post is public, and says how long after its turn that was.
func (d *dues) settle(ctx context.Context, text string) (time.Duration, error) {
	if err := d.posting.becomes(ctx, d.ids[text], "published"); err != nil {
		return 0, fmt.Errorf("%q was not published: %w", text, err)
	}
	return time.Since(d.at[text]), nil
}
