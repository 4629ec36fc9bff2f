package node

import (
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"
)

// services is who listens where. The server talks to itself over loopback.
type services struct {
	host     string
	ports    map[primitives.ServiceName]int
	httpPort int // the frontend's HTTP API, by which the server calls itself back
}

func newServices(o Options, free []int) services {
	return services{host: o.Host, httpPort: free[3], ports: map[primitives.ServiceName]int{
		primitives.FrontendService: o.Port,
		primitives.HistoryService:  free[0],
		primitives.MatchingService: free[1],
		primitives.WorkerService:   free[2],
	}}
}

func (s services) config() map[string]config.Service {
	out := map[string]config.Service{}
	for name, port := range s.ports {
		out[string(name)] = config.Service{RPC: config.RPC{GRPCPort: port, BindOnIP: s.host}}
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
		out[name] = static.SingleLocalHost(hostPort(s.host, port))
	}
	return out
}
