// Package node runs a whole Temporal server inside this process: frontend, history,
// matching, system worker and Web UI, persisted in one SQLite file.
//
// It is meant for one machine. Everything binds to one loopback address, since the server
// knows no logins. Nothing of the product may be imported here: the product's module and
// the server's dependencies move at their own pace.
//
// The server is a library without promises between versions, so what this package uses
// of it is kept small, and its version is pinned exactly.
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

	uiserver "github.com/temporalio/ui-server/v2/server"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	uioptions "github.com/temporalio/ui-server/v2/server/server_options"
	"go.temporal.io/api/enums/v1"
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
	lock  *os.File // keeps other servers away from the file
	ports *Ports
	level zap.AtomicLevel // of the server's log
	core  temporal.Server
	ui    *uiserver.Server
	once  sync.Once
}

// Start brings a node up, and returns when it serves. Its errors are one sentence, fit for
// the person who typed the command. ctx ends the wait for the database
// and for the Web UI.
//
// A failure that the server declares fatal later, such as losing a port between look
// and bind, ends the process: the server leaves no other way.
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

// start looks at the ports only now that the database is ours: the process that held it
// held the ports, too.
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
		temporal.WithConfig(serverConfig(o, doubted(n.db.persistence()), s)),
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
		n.ui, err = startUI(ctx, o)
	}
	return err
}

// Stop ends the node and gives its database free. It takes about a second, as the server
// drains open polls.
func (n *Node) Stop() {
	n.once.Do(func() {
		n.level.SetLevel(zap.FatalLevel) // an ordinary stop logs dozens of "context canceled"
		if n.ui != nil {
			n.ui.Stop()
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

// Options says where a node keeps its data and what it listens on.
type Options struct {
	DBFile string
	Port   int // on loopback, since the server knows no logins
	UIPort int // 0: no Web UI

	// Namespace is made with Retention and SearchAttributes when the database does
	// not hold it yet. Later starts leave it as it is.
	Namespace        string
	Retention        time.Duration
	SearchAttributes map[string]enums.IndexedValueType

	// LockWait is how long to wait for a process that still uses the database.
	LockWait time.Duration

	Logs io.Writer // what the server says from warnings on
}

func (o Options) address() string { return address(o.Port) }

// checked returns the options with an absolute file name, or says what cannot work.
func (o Options) checked() (Options, error) {
	switch {
	case o.Port < 1 || o.Port > 65535 || o.UIPort < 0 || o.UIPort > 65535:
		return o, fmt.Errorf("ports %d and %d are not both between 1 and 65535", o.Port, o.UIPort)
	case o.Port == o.UIPort:
		return o, fmt.Errorf("port %d is asked for twice", o.Port)
	case o.Retention < time.Hour:
		return o, fmt.Errorf("a retention of %v is below Temporal's minimum of one hour", o.Retention)
	case o.Namespace == "" || o.DBFile == "":
		return o, fmt.Errorf("the namespace and the database file need names")
	}
	file, err := filepath.Abs(o.DBFile)
	o.DBFile = file
	return o, err
}

// host is where everything listens: the server knows no logins.
const host = "127.0.0.1"

func address(port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

// services is who listens where. The server talks to itself over loopback.
type services struct {
	ports    map[primitives.ServiceName]int
	httpPort int // the frontend's HTTP API, by which the server calls itself back
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

// hosts spares the server its gossip ring: every service has exactly one host.
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

// serverConfig is what the server would otherwise read from YAML.
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

// settings differ from the server's defaults where those are made for a fleet.
func settings() dynamicconfig.Client {
	return dynamicconfig.StaticClient{
		dynamicconfig.EnableServerVersionCheck.Key(): false, // no calls home

		dynamicconfig.FrontendPersistenceMaxQPS.Key(): 10_000,
		dynamicconfig.HistoryPersistenceMaxQPS.Key():  45_000,

		// What a run was like is remembered after its end, too, some 40 kB of each. To look it up
		// costs less; but all that are worked on at once must fit: 1,536 tasks, and the requests.
		dynamicconfig.HistoryCacheHostLevelMaxSize.Key(): 2_048,

		// A worker that stops is asked for nothing more. Otherwise a task could be handed to one that
		// has just hung up, and would wait until its time is up: ten seconds and more.
		dynamicconfig.EnableCancelWorkerPollsOnShutdown.Key(): true,

		// Ten lists a second is little for a page that polls.
		dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key(): 100,

		// On one node partitions only add hops; one instead of four halves the slowest answers.
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  1,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): 1,

		// The default is 20 a second for each shard, and there is one shard: every task would
		// wait up to 50 ms.
		dynamicconfig.TransferProcessorMaxPollRPS.Key():   500,
		dynamicconfig.TimerProcessorMaxPollRPS.Key():      500,
		dynamicconfig.VisibilityProcessorMaxPollRPS.Key(): 500,
	}
}

// startUI serves the Web UI until its Stop, and returns when it listens. If it cannot, it
// ends the process, which is why checkPorts comes first.
func startUI(ctx context.Context, o Options) (*uiserver.Server, error) {
	ui := uiserver.NewServer(uioptions.WithConfigProvider(&uiconfig.Config{
		Host:                host,
		Port:                o.UIPort,
		TemporalGRPCAddress: o.address(),
		EnableUI:            true,
		DefaultNamespace:    o.Namespace,
		HideLogs:            true,
		DisableNewsFetch:    true,                                // no calls home
		CORS:                uiconfig.CORS{CookieInsecure: true}, // plain HTTP on loopback
	}))
	go func() { _ = ui.Start() }() // returns nil after Stop, and never anything else
	return ui, awaitListener(ctx, address(o.UIPort))
}

// newLogger is the server's own, with lines for people.
func newLogger(to io.Writer, level zapcore.LevelEnabler) serverlog.Logger {
	return serverlog.NewZapLogger(zap.New(zapcore.NewCore(
		zapcore.NewConsoleEncoder(serverlog.DefaultZapEncoderConfig), zapcore.Lock(zapcore.AddSync(to)), level)))
}

// checkPorts says which port is taken. Found out later, it would end the process.
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
		return fmt.Errorf("port %d on %s cannot be used, it may be taken by another program: %w", port, host, err)
	}
	return listener.Close()
}

// Ports for the server's insides come in blocks, below those that systems hand to outgoing
// connections (Linux from 32768, others from 49152): one of these may take a port between
// look and bind, which ends the process. The launcher chooses in the same way.
const (
	firstBlock, lastBlock = 20_000, 32_000
	blockSize             = 8
)

// Ports are free ports that no other node is given.
type Ports struct {
	Numbers []int
	guard   net.Listener // on the first port of the block: it keeps others out
}

// ClaimPorts finds n < 8 ports. They are claimed until Release; to bind them is the caller's.
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

// Release lets others have the ports.
func (p *Ports) Release() { _ = p.guard.Close() }

// awaitListener returns when somebody listens at the address.
func awaitListener(ctx context.Context, address string) error {
	retry := time.NewTicker(2 * time.Millisecond)
	defer retry.Stop()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-retry.C:
		}
	}
}
