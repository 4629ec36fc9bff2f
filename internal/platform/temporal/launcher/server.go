// Package launcher runs the Temporal server of `customerzero up` as a child process.
//
// The server is a separate module and binary, internal/platform/temporal/temporald. This package uses it through
// the SDK and must not import it: it would triple the product's binary and couple two sets of dependencies.
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

// Server is a Temporal server whose process is restarted when it ends.
type Server struct {
	options Options
	life    context.Context // ends when Stop is called
	end     context.CancelFunc
	done    chan struct{}
	err     error // why it ended; read after done

	mu    sync.Mutex
	child *child
}

// Start runs the server and returns when its namespace is usable. ctx bounds the start only. The error contains
// the last line of the child's output. If the process ends, it is restarted with the same file and ports, up to
// 5 times a minute; clients reconnect by themselves, and workflows resume. After that the Server is done.
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

// Address returns the server's address, which a restart keeps.
func (s *Server) Address() string { return ports.HostPort(host, s.options.Port) }

// UIURL returns the URL of the Web UI, or an empty string without one.
func (s *Server) UIURL() string {
	if s.options.UIPort == 0 {
		return ""
	}
	return "http://" + ports.HostPort(host, s.options.UIPort)
}

// Pid returns the ID of the current process.
func (s *Server) Pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.child.command.Process.Pid
}

// Done is closed when the server has ended and is not restarted.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err waits until the server has ended and returns the reason. It is nil after Stop.
func (s *Server) Err() error {
	<-s.done
	return s.err
}

// Stop stops the server, and kills it if ctx ends first; its file is safe either way. Stop workers first. A
// second call does nothing.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	s.end() // under the lock, so that no restart launches another child
	c := s.child
	s.mu.Unlock()
	err := c.stop(ctx)
	select {
	case <-s.done:
	case <-ctx.Done(): // an open restart is being canceled
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

// Options configures a Server.
type Options struct {
	Bin    string // path of temporald
	DBFile string // its directory is created
	Port   int    // on loopback; 0: any free one
	UIPort int    // 0: no Web UI

	// Namespace is created with SearchAttributes in a new file. Use EnsureSearchAttributes for a file that may be
	// older than the attributes.
	Namespace        string // empty: default
	SearchAttributes map[string]enums.IndexedValueType

	Env       []string          // of the child; it needs no secret of this process
	Logs      io.Writer         // gets the child's output; may be nil
	OnRestart func(cause error) // called after each restart; may be nil
}

const (
	host = "127.0.0.1"
	// retention equals the time in which a failed post can be retried.
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
	port, err := ports.Free(host, 0) // fixed, so that a restart uses the same
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

// SearchAttributes formats search attributes for the server's flag.
func SearchAttributes(all map[string]enums.IndexedValueType) string {
	var list []string
	for name, kind := range all {
		list = append(list, name+"="+kind.String())
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}
