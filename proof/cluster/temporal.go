package cluster

import (
	"context"
	"net/url"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"customerzero/internal/platform/ports"
	"customerzero/internal/platform/temporal/launcher"
	"customerzero/workflows"
)

const namespace = "default"

func (c *Cluster) startTemporal(ctx context.Context) error {
	var numbers [2]string
	for i, address := range []*string{&c.TemporalAddress, &c.TemporalURL} {
		free, err := ports.Address()
		if err != nil {
			return err
		}
		*address = free
		_, numbers[i], _ = strings.Cut(free, ":")
	}
	c.TemporalURL = (&url.URL{Scheme: "http", Host: c.TemporalURL}).String()
	lazy, err := client.NewLazyClient(launcher.Quietly(c.TemporalAddress, namespace))
	if err != nil {
		return err
	}
	c.later(lazy.Close)
	c.Temporal, err = c.keep(ctx, Program{
		Name: "temporal", Path: c.options.Temporald,
		Args: []string{
			"-databases", c.TemporalDatabase(), "-port", numbers[0], "-ui-port", numbers[1], "-namespace", namespace,
			"-retention", (30 * 24 * time.Hour).String(), "-search-attributes", launcher.SearchAttributes(workflows.SearchAttributes()),
		},
		Env: []string{"TEMPORALD_POSTGRES_URL=" + c.server},
	}, func(ctx context.Context) error {
		return launcher.Usable(ctx, lazy.WorkflowService(), namespace, 30*time.Second)
	})
	if err != nil {
		return err
	}
	return c.await(ctx, c.Temporal)
}

// DialTemporal connects to a Temporal server as the product does, and logs nothing.
func DialTemporal(ctx context.Context, address string) (client.Client, error) {
	return client.DialContext(ctx, launcher.Quietly(address, namespace))
}
