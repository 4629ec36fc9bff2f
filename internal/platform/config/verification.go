package config

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
)

// checkVerification holds the settings of looks at our own pages to what they may be.
func (c *Config) checkVerification() error {
	if _, err := c.VerifyInterval(); err != nil {
		return err
	}
	if c.VerifyTimeout < 5*time.Second || c.VerifyTimeout > 2*time.Minute {
		return fmt.Errorf("VERIFY_TIMEOUT is not between 5s and 2m")
	}
	for _, site := range c.VerifySites {
		if !isOrigin(strings.TrimSpace(site)) {
			return fmt.Errorf("VERIFY_SITES holds something that is no origin, like https://blog.example.com")
		}
	}
	if c.VerifyDial != "" {
		if _, _, err := net.SplitHostPort(c.VerifyDial); err != nil {
			return fmt.Errorf("VERIFY_DIAL is not host:port, like api:8080")
		}
	}
	if c.VisionModel != "" && !slices.ContainsFunc(c.LLMModels, func(name string) bool { return strings.TrimSpace(name) == c.VisionModel }) {
		return fmt.Errorf("VISION_MODEL is none of LLM_MODELS")
	}
	return nil
}

// VerifyInterval is how often our own front page is looked at; 0: only on demand.
func (c *Config) VerifyInterval() (time.Duration, error) {
	if c.VerifyEvery == "" || c.VerifyEvery == "off" {
		return 0, nil
	}
	every, err := time.ParseDuration(c.VerifyEvery)
	if err != nil || every < time.Minute || every > 24*time.Hour {
		return 0, fmt.Errorf("VERIFY_EVERY is neither off nor between 1m and 24h")
	}
	return every, nil
}

func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && isHTTP(s) && u.User == nil && u.Path == "" && u.RawQuery == "" && u.Fragment == ""
}

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
