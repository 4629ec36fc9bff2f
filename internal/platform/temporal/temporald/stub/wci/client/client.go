// Package client reports that there are no scaling groups and refuses to create one.
package client

import (
	"context"

	"go.temporal.io/api/deployment/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/auto-scaled-workers/wci/workflow/iface"
	"go.temporal.io/server/common/namespace"
	"go.uber.org/fx"
)

// Module provides the Client.
var Module = fx.Provide(func() Client { return Client{} })

// Client has no scaling groups.
type Client struct{}

// DescribeWorkerControllerInstance returns NotFound, which means to the server that workers run elsewhere.
func (Client) DescribeWorkerControllerInstance(
	context.Context, *namespace.Namespace, *deployment.WorkerDeploymentVersion,
) (*iface.QueryDescribeWorkerControllerInstanceResponse, []byte, error) {
	return nil, nil, serviceerror.NewNotFound("this server has no auto-scaled workers")
}

// UpdateWorkerControllerInstance returns InvalidArgument, because the server retries any other error.
func (Client) UpdateWorkerControllerInstance(
	context.Context, *namespace.Namespace, *deployment.WorkerDeploymentVersion, []byte, string,
	map[string]iface.ScalingGroupSpecUpdate, []string,
) (*iface.UpdateWorkerControllerInstanceResponse, error) {
	return nil, refusal()
}

// ValidateWorkerControllerInstanceSpec accepts only a spec without groups.
func (Client) ValidateWorkerControllerInstanceSpec(
	_ context.Context, _ *namespace.Namespace, _ *deployment.WorkerDeploymentVersion, _ string,
	wanted map[string]iface.ScalingGroupSpecUpdate, _ []string,
) error {
	if len(wanted) == 0 {
		return nil
	}
	return refusal()
}

// DeleteWorkerControllerInstance succeeds, because the server calls it for every worker version.
func (Client) DeleteWorkerControllerInstance(
	context.Context, *namespace.Namespace, *deployment.WorkerDeploymentVersion, string,
) error {
	return nil
}

func refusal() error {
	return serviceerror.NewInvalidArgument("this server cannot start workers: it is built without cloud providers")
}
