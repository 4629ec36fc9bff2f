// Package launcher runs the Temporal server of `customerzero up` as a child process, so that
// one command brings up everything, and the product can be killed and restarted while
// its flows go on.
//
// The server itself is a module and a binary of its own, internal/platform/temporal/temporald. This package
// speaks to it only through the SDK and may import nothing of it: it would triple the
// product's binary and tie two sets of dependencies together.
package launcher

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.temporal.io/api/enums/v1"

	"customerzero/internal/platform/ports"
)

// Server is a running Temporal server. It outlives its process.
type Server struct {
	options Options
	life    context.Context // ends when Stop is asked for
	end     context.CancelFunc
	done    chan struct{}
	err     error // why it is gone; read after done

	mu    sync.Mutex
	child *child
}

// Start runs the server and returns when its namespace can be used. ctx bounds the start only. The error
// carries what the child said. If the process ends unasked, it is started again on the same file and
// ports, up to five times a minute; clients reconnect by themselves, and flows go on where they were.
// The Server is done when the restarts are used up.
func Start(ctx context.Context, o Options) (*Server, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	c, err := launchReady(ctx, o)
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	s := &Server{options: o, life: life, end: end, done: make(chan struct{}), child: c}
	go s.supervise()
	return s, nil
}

func launchReady(ctx context.Context, o Options) (*child, error) {
	c, err := launch(o)
	if err != nil {
		return nil, err
	}
	if err := c.ready(ctx, o); err != nil {
		c.discard()
		return nil, err
	}
	return c, nil
}

// Address is where clients dial. A restart keeps it.
func (s *Server) Address() string { return ports.HostPort(host, s.options.Port) }

// UIURL is where people look, or empty without a Web UI.
func (s *Server) UIURL() string {
	if s.options.UIPort == 0 {
		return ""
	}
	return "http://" + ports.HostPort(host, s.options.UIPort)
}

// Pid is the process of the moment.
func (s *Server) Pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.child.command.Process.Pid
}

// Done is closed when the server is gone for good.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err says why the server is gone, and waits until it is. It is nil after Stop.
func (s *Server) Err() error {
	<-s.done
	return s.err
}

// Stop ends the server, and kills it when ctx ends first; its file is safe either way. Stop it
// last: workers that are still up would only see errors. Again is harmless.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	s.end() // under the lock, so that no restart slips in a child that nobody stops
	c := s.child
	s.mu.Unlock()
	err := c.stop(ctx)
	select {
	case <-s.done:
	case <-ctx.Done(): // a restart was under way, and is being given up
		err = errors.Join(err, context.Cause(ctx))
	}
	return err
}

func (s *Server) finish(err error) {
	if s.life.Err() == nil {
		s.err = err
	}
	s.end()
	close(s.done)
}

// Options says which server to run, and where.
type Options struct {
	Bin    string // path of temporald
	DBFile string // its folder is made if need be
	Port   int    // on loopback; 0 is any free one
	UIPort int    // 0 is no Web UI

	// Namespace, with SearchAttributes, is made when the file is new. Use EnsureSearchAttributes for
	// a file that may be older than the attributes.
	Namespace        string // empty is "default"
	SearchAttributes map[string]enums.IndexedValueType

	Logs      io.Writer         // what the child says; nil is nobody
	OnRestart func(cause error) // nil, or told why after each restart that worked
}

const (
	host = "127.0.0.1"
	// retention is as long as a failed post may be tried again.
	retention = 30 * 24 * time.Hour
)

func (o Options) withDefaults() (Options, error) {
	o.Namespace = cmp.Or(o.Namespace, "default")
	if o.Logs == nil {
		o.Logs = io.Discard
	}
	if o.Port != 0 {
		return o, nil
	}
	port, err := ports.Free(host, 0) // fixed now, so that a restart takes the same
	o.Port = port
	return o, err
}

func (o Options) args() []string {
	return []string{
		"-db", o.DBFile,
		"-port", strconv.Itoa(o.Port),
		"-ui-port", strconv.Itoa(o.UIPort),
		"-namespace", o.Namespace,
		"-retention", retention.String(),
		"-search-attributes", SearchAttributes(o.SearchAttributes),
		"-exit-with-stdin",
	}
}

// SearchAttributes are written as the server reads them.
func SearchAttributes(all map[string]enums.IndexedValueType) string {
	var list []string
	for name, kind := range all {
		list = append(list, name+"="+kind.String())
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}
