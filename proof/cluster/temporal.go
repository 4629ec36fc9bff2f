package cluster

import (
	"context"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

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
	lazy, err := client.NewLazyClient(clientOptions(c.TemporalAddress))
	if err != nil {
		return err
	}
	c.later(lazy.Close)
	c.Temporal, err = c.keep(ctx, Program{
		Name: "temporal", Path: c.options.Temporald,
		Args: []string{
			"-databases", c.TemporalDatabase(), "-port", numbers[0], "-ui-port", numbers[1], "-namespace", namespace,
			"-retention", (30 * 24 * time.Hour).String(), "-search-attributes", searchAttributes(),
		},
		Env: []string{"TEMPORALD_POSTGRES_URL=" + c.server},
	}, func(ctx context.Context) error { return usable(ctx, lazy) })
	if err != nil {
		return err
	}
	return c.await(ctx, c.Temporal)
}

func clientOptions(address string) client.Options {
	return client.Options{
		HostPort: address, Namespace: namespace, ConnectionOptions: launcher.Connection(address),
		Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	}
}

// DialTemporal connects to a Temporal server as the product does, and logs nothing.
func DialTemporal(ctx context.Context, address string) (client.Client, error) {
	return client.DialContext(ctx, clientOptions(address))
}

// usable asks for something that needs the namespace.
func usable(ctx context.Context, server client.Client) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	_, err := server.WorkflowService().DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace: namespace, TaskQueue: &taskqueue.TaskQueue{Name: "probe"}, TaskQueueType: enums.TASK_QUEUE_TYPE_WORKFLOW,
	})
	return err
}

func searchAttributes() string {
	var list []string
	for name, kind := range workflows.SearchAttributes() {
		list = append(list, name+"="+kind.String())
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}
