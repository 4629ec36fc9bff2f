// Package node runs a complete Temporal server in this process: frontend, history, matching, system worker and Web
// UI, with one SQLite file.
//
// Everything listens on loopback, because the server has no authentication. This package must not import the
// product, so that the two sets of dependencies stay independent. The server's Go API is not stable, so this package
// uses little of it and pins its version.
package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/server/chasm/lib/activity"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	serverlog "go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Node is a running server.
type Node struct {
	db    database
	lock  *os.File // held while the server uses the file
	ports *Ports
	level zap.AtomicLevel // of the server's log
	core  temporal.Server
	ui    io.Closer // nil without a Web UI
	once  sync.Once
}

// Start starts a node and returns when it serves. Its errors are one sentence for operators. ctx ends the wait for
// the database and for the Web UI.
//
// A later error that the server treats as fatal, such as a port that was taken between check and bind, ends the
// process.
func Start(ctx context.Context, o Options) (*Node, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	lock, err := lockFile(ctx, o.DBFile, o.LockWait)
	if err != nil {
		return nil, err
	}
	n := &Node{db: database{o.DBFile}, lock: lock, level: zap.NewAtomicLevelAt(zap.WarnLevel)}
	if err := n.start(ctx, o); err != nil {
		n.Stop()
		return nil, err
	}
	return n, nil
}

// start checks the ports after the lock was taken: the process that held it had the ports, too.
func (n *Node) start(ctx context.Context, o Options) error {
	if err := checkPorts(o); err != nil {
		return err
	}
	var err error
	if n.ports, err = ClaimPorts(4); err != nil {
		return err
	}
	if err := n.db.prepare(ctx, o); err != nil {
		return err
	}
	return n.serve(ctx, o, newServices(o, n.ports.Numbers))
}

func (n *Node) serve(ctx context.Context, o Options, s services) error {
	core, err := temporal.NewServer(
		temporal.WithConfig(serverConfig(o, withFaults(n.db.persistence()), s)),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithStaticHosts(s.hosts()),
		temporal.WithDynamicConfigClient(settings()),
		temporal.WithLogger(newLogger(o.Logs, n.level)),
	)
	if err != nil {
		return fmt.Errorf("build the Temporal server: %w", err)
	}
	n.core = core
	if err := core.Start(); err != nil {
		return fmt.Errorf("start the Temporal server: %w", err)
	}
	if o.UIPort != 0 {
		n.ui, err = startUI(o)
	}
	return err
}

// Stop stops the node and releases its database. It takes about a second, because the server drains open polls.
func (n *Node) Stop() {
	n.once.Do(func() {
		n.level.SetLevel(zap.FatalLevel) // a shutdown logs dozens of "context canceled"
		if n.ui != nil {
			_ = n.ui.Close()
		}
		if n.core != nil {
			_ = n.core.Stop() // never fails
		}
		if n.ports != nil {
			n.ports.Release()
		}
		_ = n.lock.Close() // closing releases the lock
	})
}

// Options configures a node.
type Options struct {
	DBFile string
	Port   int // on loopback
	UIPort int // 0: no Web UI

	// Namespace is created with Retention and SearchAttributes if it does not exist. Later starts do not change it.
	Namespace        string
	Retention        time.Duration
	SearchAttributes map[string]enums.IndexedValueType

	LockWait time.Duration // for another process that still uses the database
	Logs     io.Writer     // gets warnings and errors
}

func (o Options) address() string { return address(o.Port) }

// checked validates the options and makes the file name absolute.
func (o Options) checked() (Options, error) {
	switch {
	case o.Port < 1 || o.Port > 65535 || o.UIPort < 0 || o.UIPort > 65535:
		return o, fmt.Errorf("the ports %d and %d must be between 1 and 65535", o.Port, o.UIPort)
	case o.Port == o.UIPort:
		return o, fmt.Errorf("port %d is used twice", o.Port)
	case o.Retention < time.Hour:
		return o, fmt.Errorf("the retention of %v is below Temporal's minimum of 1 hour", o.Retention)
	case o.Namespace == "" || o.DBFile == "":
		return o, fmt.Errorf("the namespace and the database file must have names")
	}
	file, err := filepath.Abs(o.DBFile)
	o.DBFile = file
	return o, err
}

// host is loopback, because the server has no authentication.
const host = "127.0.0.1"

func address(port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

// services are the ports of the server's services, which call each other over loopback.
type services struct {
	ports    map[primitives.ServiceName]int
	httpPort int // the frontend's HTTP API, for the server's own callbacks
}

func newServices(o Options, free []int) services {
	return services{httpPort: free[3], ports: map[primitives.ServiceName]int{
		primitives.FrontendService: o.Port,
		primitives.HistoryService:  free[0],
		primitives.MatchingService: free[1],
		primitives.WorkerService:   free[2],
	}}
}

func (s services) config() map[string]config.Service {
	out := map[string]config.Service{}
	for name, port := range s.ports {
		out[string(name)] = config.Service{RPC: config.RPC{GRPCPort: port, BindOnIP: host}}
	}
	frontend := out[string(primitives.FrontendService)]
	frontend.RPC.HTTPPort = s.httpPort
	out[string(primitives.FrontendService)] = frontend
	return out
}

// hosts replaces the gossip ring: every service has exactly one host.
func (s services) hosts() map[primitives.ServiceName]static.Hosts {
	out := map[primitives.ServiceName]static.Hosts{}
	for name, port := range s.ports {
		out[name] = static.SingleLocalHost(address(port))
	}
	return out
}

const (
	clusterName = "active"
	storeName   = "main"
)

// serverConfig replaces the server's YAML file.
func serverConfig(o Options, data config.Persistence, s services) *config.Config {
	return &config.Config{
		Global: config.Global{Membership: config.Membership{
			MaxJoinDuration: 30 * time.Second, BroadcastAddress: host,
		}},
		Persistence:         data,
		ClusterMetadata:     oneCluster(o.address()),
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		PublicClient:        config.PublicClient{HostPort: o.address()},
		Services:            s.config(),
		Archival: config.Archival{
			History:    config.HistoryArchival{State: "disabled"},
			Visibility: config.VisibilityArchival{State: "disabled"},
		},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: "disabled"},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"},
		}},
	}
}

func oneCluster(address string) *cluster.Config {
	return &cluster.Config{
		FailoverVersionIncrement: 10,
		MasterClusterName:        clusterName,
		CurrentClusterName:       clusterName,
		ClusterInformation: map[string]cluster.ClusterInformation{
			clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: address},
		},
	}
}

// settings replaces defaults that are made for a cluster.
func settings() dynamicconfig.Client {
	return dynamicconfig.StaticClient{
		dynamicconfig.EnableServerVersionCheck.Key(): false, // no calls home

		// Any page that a browser shows can send requests to loopback, and this API starts workflows without a login.
		dynamicconfig.FrontendHTTPAllowedHosts.Key(): []string{"none.invalid"},
		// An activity runs in a workflow of the product only, not by itself with any input.
		activity.Enabled.Key(): false,

		dynamicconfig.FrontendPersistenceMaxQPS.Key(): 10_000,
		dynamicconfig.HistoryPersistenceMaxQPS.Key():  45_000,

		// The cache keeps about 40 kB of each run, also after its end. Loading a run is cheap, but the 1,536
		// concurrent tasks and the requests must fit.
		dynamicconfig.HistoryCacheHostLevelMaxSize.Key(): 2_048,

		// Without this, a task could be sent to a worker that has just stopped, and wait for its timeout of 10
		// seconds or more.
		dynamicconfig.EnableCancelWorkerPollsOnShutdown.Key(): true,

		// The default of 10 list calls a second is too low for a page that polls.
		dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 100,

		// On one node partitions only add hops: 1 instead of 4 halves the highest latencies.
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  1,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): 1,

		// With the default of 20 a second per shard and 1 shard, every task would wait up to 50 ms.
		dynamicconfig.TransferProcessorMaxPollRPS.Key():   500,
		dynamicconfig.TimerProcessorMaxPollRPS.Key():      500,
		dynamicconfig.VisibilityProcessorMaxPollRPS.Key(): 500,
	}
}

// newLogger returns the server's logger with text output.
func newLogger(to io.Writer, level zapcore.LevelEnabler) serverlog.Logger {
	return serverlog.NewZapLogger(zap.New(zapcore.NewCore(
		zapcore.NewConsoleEncoder(serverlog.DefaultZapEncoderConfig), zapcore.Lock(zapcore.AddSync(to)), level)))
}

// checkPorts returns an error for a port in use, which would end the process later.
func checkPorts(o Options) error {
	for _, port := range []int{o.Port, o.UIPort} {
		if port == 0 {
			continue
		}
		if err := checkPort(port); err != nil {
			return err
		}
	}
	return nil
}

func checkPort(port int) error {
	listener, err := net.Listen("tcp", address(port))
	if err != nil {
		return fmt.Errorf("port %d on %s cannot be used; another program may use it: %w", port, host, err)
	}
	return listener.Close()
}

// Internal ports come in blocks below the ephemeral ports (Linux from 32768, others from 49152), because an outgoing
// connection could take one between check and bind, which ends the process. The launcher chooses in the same way.
const (
	firstBlock, lastBlock = 20_000, 32_000
	blockSize             = 8
)

// Ports are free ports that no other node gets.
type Ports struct {
	Numbers []int
	guard   net.Listener // listens on the first port of the block to keep other nodes out
}

// ClaimPorts claims n < 8 ports until Release. The caller binds them.
func ClaimPorts(n int) (*Ports, error) {
	var err error
	for range 100 {
		base := firstBlock + blockSize*rand.IntN((lastBlock-firstBlock)/blockSize)
		var p *Ports
		if p, err = claimBlock(base, n); err == nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no free ports on %s: %w", host, err)
}

func claimBlock(base, n int) (*Ports, error) {
	guard, err := net.Listen("tcp", address(base))
	if err != nil {
		return nil, err
	}
	p := &Ports{guard: guard}
	for i := range n {
		if err := checkPort(base + 1 + i); err != nil {
			return nil, errors.Join(err, guard.Close())
		}
		p.Numbers = append(p.Numbers, base+1+i)
	}
	return p, nil
}

// Release frees the ports for other nodes.
func (p *Ports) Release() { _ = p.guard.Close() }
