package node

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	uiserver "github.com/temporalio/ui-server/v2/server"
	serverlog "go.temporal.io/server/common/log"
	"go.temporal.io/server/temporal"
)

// Node is a running server.
type Node struct {
	data  storage
	ports *Ports
	quiet *atomic.Bool
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
	data, err := o.storage()
	if err != nil {
		return nil, err
	}
	if err := data.take(ctx, o); err != nil {
		return nil, err
	}
	n := &Node{data: data, quiet: &atomic.Bool{}}
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
	if n.ports, err = ClaimPorts(o.Host, 4); err != nil {
		return err
	}
	if err := n.data.prepare(ctx, o); err != nil {
		return err
	}
	logger := adapter{logger: o.Logger, quiet: n.quiet, exit: os.Exit}
	return n.serve(ctx, o, newServices(o, n.ports.Numbers), logger)
}

func (n *Node) serve(ctx context.Context, o Options, s services, logger serverlog.Logger) error {
	core, err := temporal.NewServer(
		temporal.WithConfig(serverConfig(o, doubted(n.data.persistence()), s)),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithStaticHosts(s.hosts()),
		temporal.WithDynamicConfigClient(settings()),
		temporal.WithLogger(logger),
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
		n.quiet.Store(true)
		if n.ui != nil {
			n.ui.Stop()
		}
		if n.core != nil {
			_ = n.core.Stop() // never fails
		}
		if n.ports != nil {
			n.ports.Release()
		}
		n.data.release()
	})
}
