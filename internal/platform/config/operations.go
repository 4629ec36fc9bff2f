package config

import (
	"fmt"
	"net"
	"strings"
	"time"
)

// checkOperations holds the settings of a deployment to what they may be.
func (c *Config) checkOperations() error {
	switch {
	case c.LogFormat != "text" && c.LogFormat != "json":
		return fmt.Errorf("LOG_FORMAT is neither text nor json")
	case c.DrainDelay < 0 || c.DrainDelay > time.Minute:
		return fmt.Errorf("DRAIN_DELAY is not between 0s and 1m")
	case c.OTLPEndpoint != "" && !isHTTP(c.OTLPEndpoint):
		return fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT is not a URL that begins with http:// or https://")
	case c.TraceShare < 0 || c.TraceShare > 1:
		return fmt.Errorf("TRACE_SHARE is not between 0 and 1")
	case strings.ContainsAny(c.WorkerDeployment, ".: "):
		return fmt.Errorf("WORKER_DEPLOYMENT is a name without dots, colons and spaces")
	case c.DatabaseConnections < 2 || c.DatabaseConnections > 200:
		return fmt.Errorf("DATABASE_CONNECTIONS is not between 2 and 200")
	}
	if c.OpsAddr == "" {
		return nil
	}
	if _, _, err := net.SplitHostPort(c.OpsAddr); err != nil {
		return fmt.Errorf("OPS_ADDR is not host:port, like 127.0.0.1:9090")
	}
	return nil
}
