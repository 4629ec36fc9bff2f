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

// How a run is followed.
const (
	followEvery  = 250 * time.Millisecond
	followSign   = 10 * time.Second // of life, for what stands between and would hang up
	followFor    = 2 * time.Minute
	followWrite  = 5 * time.Second // who does not read for so long is let go
	followAtOnce = 100
	followEach   = 20 // from one address; whoever gets no place asks from time to time
)

// FollowChaosRun streams a run to a bounded number of clients.
func (a *API) FollowChaosRun() func(context.Context, *followRequest) (*huma.StreamResponse, error) {
	seats := httpapi.NewConnLimiter(followAtOnce, followEach)
	return func(ctx context.Context, req *followRequest) (*huma.StreamResponse, error) {
		if _, err := a.Chaos.ChaosRun(ctx, req.ID); err != nil {
			return nil, err
		}
		leave, ok := seats.Take(httpapi.CallerOf(ctx).Address)
		if !ok {
			return nil, problem.New(problem.Unavailable, "Too many people are looking on at once. Load the page again in a minute.")
		}
		return &huma.StreamResponse{Body: func(hctx huma.Context) {
			defer leave()
			a.Meters.Streams.Inc()
			defer a.Meters.Streams.Dec()
			f := follower{API: a, id: req.ID, next: req.LastEventID + 1, out: humagin.Unwrap(hctx).Writer, over: a.Stopping()}
			f.follow(hctx.Context())
		}}, nil
	}
}

type followRequest struct {
	ID          string `path:"id" doc:"Chaos run ID" maxLength:"40"`
	LastEventID int    `header:"Last-Event-ID" default:"-1" minimum:"-1" maximum:"1000000" doc:"Number of the last probe received; the stream continues after it"`
}

// follower tells one client what becomes of a run, as it is written down.
type follower struct {
	*API
	id   string
	next int // the place of the first probe that is still to be told
	told ChaosEvent
	out  http.ResponseWriter
	over <-chan struct{} // closed when this process stops
}

// follow ends with the run, with the client, or when it has lasted long enough.
func (f *follower) follow(ctx context.Context) {
	httpapi.EndSpan(ctx)
	ctx, cancel := context.WithTimeout(ctx, followFor)
	defer cancel()
	header := f.out.Header()
	header.Set("Content-Type", sse.ContentType)
	header.Set("Cache-Control", httpapi.NoStore)
	header.Set("X-Accel-Buffering", "no") // proxies are to pass it on at once
	look, sign := time.NewTicker(followEvery), time.NewTicker(followSign)
	defer look.Stop()
	defer sign.Stop()
	for {
		ended, err := f.tell(ctx)
		if err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "a stream broke off", "chaos_id", f.id, "error", err)
		}
		if ended || err != nil {
			return
		}
		select {
		case <-look.C:
		case <-sign.C:
			err = f.write(func() error { _, err := f.out.Write([]byte(": still here\n\n")); return err })
		case <-f.over: // somebody else goes on from the last probe
			_ = f.write(func() error { _, err := f.out.Write([]byte("retry: 1000\n\n")); return err })
			return
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// tell says what is new.
func (f *follower) tell(ctx context.Context) (ended bool, err error) {
	run, err := f.Chaos.ChaosRun(ctx, f.id)
	if err != nil {
		return false, err
	}
	if event := showChaos(run); !reflect.DeepEqual(event, f.told) {
		f.told = event
		if err := f.say(sse.Event{Event: "event", Data: event}); err != nil {
			return false, err
		}
	}
	if err := f.tellProbes(ctx, run); err != nil || run.Stage != chaos.Ended {
		return false, err
	}
	whole, err := f.wholeChaos(ctx, run)
	if err != nil {
		return false, err
	}
	return true, f.say(sse.Event{Event: "end", Data: whole})
}

// tellProbes waits for the injection, from which probes count their time; without one they are
// told at the end.
func (f *follower) tellProbes(ctx context.Context, run chaos.Run) error {
	if run.InjectedAt == nil && run.Stage != chaos.Ended {
		return nil
	}
	samples, err := f.samplesOf(ctx, f.id)
	if err != nil {
		return err
	}
	for ; f.next < len(samples); f.next++ {
		probe := probeOf(samples[f.next], baseOf(run, samples))
		if err := f.say(sse.Event{Id: strconv.Itoa(f.next), Event: "probe", Data: probe}); err != nil {
			return err
		}
	}
	return nil
}

func (f *follower) say(event sse.Event) error {
	return f.write(func() error { return sse.Encode(f.out, event) })
}

// write has a time of its own: that of the whole answer is too short for a stream.
func (f *follower) write(words func() error) error {
	control := http.NewResponseController(f.out)
	_ = control.SetWriteDeadline(time.Now().Add(followWrite)) // what cannot be bounded is written all the same
	if err := words(); err != nil {
		return err
	}
	return control.Flush()
}
