package node

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/route"
	"github.com/temporalio/ui-server/v2/ui"
)

// startUI serves a Web UI that only reads. The library's own server answers every Host, so that any page could
// read the histories through DNS rebinding; this one has the same routes without its login and its CORS.
func startUI(o Options) (io.Closer, error) {
	settings, err := uiconfig.NewConfigProviderWithRefresh(&uiconfig.Config{
		Host: host, Port: o.UIPort, TemporalGRPCAddress: o.address(), EnableUI: true, DefaultNamespace: o.Namespace,
		DisableWriteActions: true, // founders act through the product, which checks and audits them
		HideLogs:            true,
		DisableNewsFetch:    true, // no calls home
	})
	if err != nil {
		return nil, fmt.Errorf("configure the Web UI: %w", err)
	}
	pages, errPages := ui.Assets()
	local, errLocal := fs.Sub(pages, "local")
	e := echo.New()
	e.Use(middleware.Recover(), middleware.Gzip(), middleware.Secure())
	err = errors.Join(errPages, errLocal, route.SetAPIRoutes(e, settings, nil), route.SetUIRoutes(e, "", local, settings))
	if err != nil {
		return nil, fmt.Errorf("build the Web UI: %w", err)
	}
	route.SetHealthRoute(e)
	route.SetRenderRoute(e, "/")
	listener, err := net.Listen("tcp", address(o.UIPort))
	if err != nil {
		return nil, fmt.Errorf("serve the Web UI: %w", err)
	}
	server := &http.Server{Handler: atLoopback(e), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }() // until Close
	return server, nil
}

// atLoopback refuses requests that name another host: its DNS may point here without being ours.
func atLoopback(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			name = r.Host
		}
		ip, err := netip.ParseAddr(name)
		if name != "localhost" && (err != nil || !ip.IsLoopback()) {
			http.Error(w, "This console is served as 127.0.0.1 and localhost only.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
