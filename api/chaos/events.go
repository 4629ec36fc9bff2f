package chaos

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-contrib/sse"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
)

const (
	followEvery     = 250 * time.Millisecond
	followHeartbeat = 10 * time.Second // keeps proxies from closing an idle stream
	followFor       = 2 * time.Minute
	followWrite     = 5 * time.Second // clients that do not read for this long are disconnected
	followAtOnce    = 100
	followEach      = 20 // per network; clients above the limit poll instead
)

// FollowChaosRun streams a run to a bounded number of clients.
func (a *API) FollowChaosRun() func(context.Context, *followRequest) (*huma.StreamResponse, error) {
	connections := httpapi.NewConnLimiter(followAtOnce, followEach)
	return func(ctx context.Context, req *followRequest) (*huma.StreamResponse, error) {
		if _, err := a.Chaos.ChaosRun(ctx, req.ID); err != nil {
			return nil, err
		}
		networks := httpapi.CallerOf(ctx).Networks
		replaced, leave, ok := connections.Take(networks[len(networks)-1])
		if !ok {
			return nil, problem.New(problem.Unavailable, "Too many clients are following runs right now. Reload the page in a minute.")
		}
		return &huma.StreamResponse{Body: func(hctx huma.Context) {
			defer leave()
			a.Meters.Streams.Inc()
			defer a.Meters.Streams.Dec()
			f := follower{API: a, id: req.ID, next: req.LastEventID + 1, out: humagin.Unwrap(hctx).Writer, over: a.Stopping(), replaced: replaced}
			f.follow(hctx.Context())
		}}, nil
	}
}

type followRequest struct {
	ID          string `path:"id" doc:"Chaos run ID" maxLength:"40"`
	LastEventID int    `header:"Last-Event-ID" default:"-1" minimum:"-1" maximum:"1000000" doc:"Number of the last probe received; the stream continues after it"`
}

// follower streams the changes of a run's row to one client.
type follower struct {
	*API
	id   string
	next int        // index of the next probe to send
	sent ChaosEvent // the last event
	out  http.ResponseWriter
	over <-chan struct{} // closed when this process stops

	replaced <-chan struct{} // closed when another network's stream takes the place of this one
}

func (f *follower) follow(ctx context.Context) {
	httpapi.EndSpan(ctx)
	ctx, cancel := context.WithTimeout(ctx, followFor)
	defer cancel()
	header := f.out.Header()
	header.Set("Content-Type", sse.ContentType)
	header.Set("Cache-Control", httpapi.NoStore)
	header.Set("X-Accel-Buffering", "no") // keeps nginx from buffering the stream
	poll, heartbeat := time.NewTicker(followEvery), time.NewTicker(followHeartbeat)
	defer poll.Stop()
	defer heartbeat.Stop()
	for {
		ended, err := f.sendChanges(ctx)
		if err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "event stream failed", "chaos_id", f.id, "error", err)
		}
		if ended || err != nil {
			return
		}
		select {
		case <-poll.C:
		case <-heartbeat.C:
			err = f.write(func() error { _, err := f.out.Write([]byte(": still here\n\n")); return err })
		case <-f.over: // the client resumes on another replica, after the last probe
			_ = f.write(func() error { _, err := f.out.Write([]byte("retry: 1000\n\n")); return err })
			return
		case <-f.replaced:
			return
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func (f *follower) sendChanges(ctx context.Context) (ended bool, err error) {
	run, err := f.Chaos.ChaosRun(ctx, f.id)
	if err != nil {
		return false, err
	}
	if event := showChaos(run); !reflect.DeepEqual(event, f.sent) {
		f.sent = event
		if err := f.send(sse.Event{Event: "event", Data: event}); err != nil {
			return false, err
		}
	}
	if err := f.sendProbes(ctx, run); err != nil || run.Stage != chaos.Ended {
		return false, err
	}
	whole, err := f.wholeChaos(ctx, run)
	if err != nil {
		return false, err
	}
	return true, f.send(sse.Event{Event: "end", Data: whole})
}

// sendProbes sends nothing before the injection, because the times of probes count from it. Without an injection it
// sends all probes at the end.
func (f *follower) sendProbes(ctx context.Context, run chaos.Run) error {
	if run.InjectedAt == nil && run.Stage != chaos.Ended {
		return nil
	}
	samples, err := f.samplesOf(ctx, f.id)
	if err != nil {
		return err
	}
	for ; f.next < len(samples); f.next++ {
		probe := probeOf(samples[f.next], baseOf(run, samples))
		if err := f.send(sse.Event{Id: strconv.Itoa(f.next), Event: "probe", Data: probe}); err != nil {
			return err
		}
	}
	return nil
}

func (f *follower) send(event sse.Event) error {
	return f.write(func() error { return sse.Encode(f.out, event) })
}

// write sets a deadline per write, because the server's write timeout is too short for a stream.
func (f *follower) write(event func() error) error {
	control := http.NewResponseController(f.out)
	_ = control.SetWriteDeadline(time.Now().Add(followWrite)) // without support for deadlines it is written anyway
	if err := event(); err != nil {
		return err
	}
	return control.Flush()
}
