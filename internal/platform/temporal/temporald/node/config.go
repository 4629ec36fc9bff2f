package node

import (
	"time"

	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
)

const (
	clusterName = "active"
	storeName   = "main"
)

// serverConfig is what the server would otherwise read from YAML.
func serverConfig(o Options, data config.Persistence, s services) *config.Config {
	return &config.Config{
		Global: config.Global{Membership: config.Membership{
			MaxJoinDuration: 30 * time.Second, BroadcastAddress: o.Host,
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
