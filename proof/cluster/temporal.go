package cluster

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"customerzero/internal/platform/temporal/launcher"
	"customerzero/workflows"
)

const namespace = "default"

func (c *Cluster) startTemporal(ctx context.Context) error {
	free, err := freeAddresses(2)
	if err != nil {
		return err
	}
	c.TemporalAddress, c.TemporalURL = free[0], "http://"+free[1]
	_, port, _ := strings.Cut(free[0], ":")
	_, uiPort, _ := strings.Cut(free[1], ":")
	lazy, err := client.NewLazyClient(launcher.Quietly(c.TemporalAddress, namespace))
	if err != nil {
		return err
	}
	c.later(lazy.Close)
	c.Temporal, err = c.begin(ctx, Program{
		Name: "temporal", Path: c.options.Temporald,
		Args: []string{
			"-db", filepath.Join(c.options.Dir, "temporal.db"), "-port", port, "-ui-port", uiPort, "-namespace", namespace,
			"-retention", (30 * 24 * time.Hour).String(), "-search-attributes", launcher.SearchAttributes(workflows.SearchAttributes()),
		},
	}, func(ctx context.Context) error {
		return launcher.Usable(ctx, lazy.WorkflowService(), namespace, 30*time.Second)
	})
	return err
}

// DialTemporal connects to a Temporal server as the product does, without logging.
func DialTemporal(ctx context.Context, address string) (client.Client, error) {
	return client.DialContext(ctx, launcher.Quietly(address, namespace))
}
