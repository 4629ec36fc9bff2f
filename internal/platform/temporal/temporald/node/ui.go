package node

import (
	"context"

	uiserver "github.com/temporalio/ui-server/v2/server"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	uioptions "github.com/temporalio/ui-server/v2/server/server_options"
)

// startUI serves the Web UI until its Stop, and returns when it listens. If it cannot, it
// ends the process, which is why checkPorts comes first.
func startUI(ctx context.Context, o Options) (*uiserver.Server, error) {
	ui := uiserver.NewServer(uioptions.WithConfigProvider(&uiconfig.Config{
		Host:                o.Host,
		Port:                o.UIPort,
		TemporalGRPCAddress: o.address(),
		EnableUI:            true,
		DefaultNamespace:    o.Namespace,
		HideLogs:            true,
		DisableNewsFetch:    true,                                // no calls home
		CORS:                uiconfig.CORS{CookieInsecure: true}, // plain HTTP on loopback
	}))
	go func() { _ = ui.Start() }() // returns nil after Stop, and never anything else
	return ui, awaitListener(ctx, hostPort(o.Host, o.UIPort))
}
