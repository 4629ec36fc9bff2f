// Package client answers the server's questions about scaling groups: there are none, and
// none can be made.
package client

import (
	"context"

	"go.temporal.io/api/deployment/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/auto-scaled-workers/wci/workflow/iface"
	"go.temporal.io/server/common/namespace"
	"go.uber.org/fx"
)

// Module gives the server its Client.
var Module = fx.Provide(func() Client { return Client{} })

// Client knows no scaling group.
type Client struct{}

// DescribeWorkerControllerInstance finds nothing; the server takes that as "workers run elsewhere".
func (Client) DescribeWorkerControllerInstance(
	context.Context, *namespace.Namespace, *deployment.WorkerDeploymentVersion,
) (*iface.QueryDescribeWorkerControllerInstanceResponse, []byte, error) {
	return nil, nil, serviceerror.NewNotFound("this server has no auto-scaled workers")
}

// UpdateWorkerControllerInstance refuses. InvalidArgument, because the server retries anything else.
func (Client) UpdateWorkerControllerInstance(
	context.Context, *namespace.Namespace, *deployment.WorkerDeploymentVersion, []byte, string,
	map[string]iface.ScalingGroupSpecUpdate, []string,
) (*iface.UpdateWorkerControllerInstanceResponse, error) {
	return nil, refusal()
}

// ValidateWorkerControllerInstanceSpec refuses every group, and has nothing against none.
func (Client) ValidateWorkerControllerInstanceSpec(
	_ context.Context, _ *namespace.Namespace, _ *deployment.WorkerDeploymentVersion, _ string,
	wanted map[string]iface.ScalingGroupSpecUpdate, _ []string,
) error {
	if len(wanted) == 0 {
		return nil
	}
	return refusal()
}

// DeleteWorkerControllerInstance succeeds, as the server deletes with every worker version and nothing is there.
func (Client) DeleteWorkerControllerInstance(
	context.Context, *namespace.Namespace, *deployment.WorkerDeploymentVersion, string,
) error {
	return nil
}

func refusal() error {
	return serviceerror.NewInvalidArgument("this server cannot start workers: it is built without cloud providers")
}
