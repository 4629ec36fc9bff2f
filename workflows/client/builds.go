package client

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	sdk "go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// CurrentBuild is the build of a deployment that gets all work, at one moment.
type CurrentBuild struct {
	Build string // empty if there is none

	token []byte // of the deployment's state
}

// ErrBuildsChanged means that Temporal does not make a build current now: another client was
// faster, or a queue has no worker of the build.
var ErrBuildsChanged = errors.New("Temporal does not make the build current yet") //nolint:staticcheck // a name

// CurrentBuild returns the current build of a deployment.
func (c *Client) CurrentBuild(ctx context.Context, deployment string) (CurrentBuild, error) {
	seen, err := c.Temporal.WorkerDeploymentClient().GetHandle(deployment).Describe(ctx, sdk.WorkerDeploymentDescribeOptions{})
	if _, none := errors.AsType[*serviceerror.NotFound](err); none {
		return CurrentBuild{}, nil
	}
	if err != nil {
		return CurrentBuild{}, fmt.Errorf("list the builds of %s: %w", deployment, err)
	}
	current := CurrentBuild{token: seen.ConflictToken}
	if version := seen.Info.RoutingConfig.CurrentVersion; version != nil {
		current.Build = version.BuildID
	}
	return current, nil
}

// MakeCurrent gives all work to a build, unless the deployment has changed since it was seen.
func (c *Client) MakeCurrent(ctx context.Context, deployment string, seen CurrentBuild, build string) error {
	_, err := c.Temporal.WorkerDeploymentClient().GetHandle(deployment).SetCurrentVersion(ctx,
		sdk.WorkerDeploymentSetCurrentVersionOptions{BuildID: build, ConflictToken: seen.token})
	if _, refused := errors.AsType[*serviceerror.FailedPrecondition](err); refused {
		return fmt.Errorf("%w: %s", ErrBuildsChanged, err.Error())
	}
	return err
}

// RunCanaryIn runs a canary flow to its end in a build, current or not.
func (c *Client) RunCanaryIn(ctx context.Context, deployment, build string) error {
	return c.runCanary(ctx, &sdk.PinnedVersioningOverride{
		Version: worker.WorkerDeploymentVersion{DeploymentName: deployment, BuildID: build},
	})
}

// OpenRuns lists the open runs by workflow: of each the newest most and the oldest most, or all if most
// is 0.
func (c *Client) OpenRuns(ctx context.Context, most int) (map[string][]workflow.Execution, error) {
	found := map[string][]workflow.Execution{}
	request := &workflowservice.ListWorkflowExecutionsRequest{Query: `ExecutionStatus="Running"`}
	for {
		page, err := c.Temporal.ListWorkflow(ctx, request)
		if err != nil {
			return nil, err
		}
		for _, run := range page.Executions { // the newest first
			flow := run.GetType().GetName()
			found[flow] = keepEnds(append(found[flow], workflow.Execution{ID: run.GetExecution().GetWorkflowId(), RunID: run.GetExecution().GetRunId()}), most)
		}
		if request.NextPageToken = page.NextPageToken; len(page.NextPageToken) == 0 {
			return found, nil
		}
	}
}

// keepEnds keeps the first most and the last most of a list that grows at its end.
func keepEnds(runs []workflow.Execution, most int) []workflow.Execution {
	if most == 0 || len(runs) <= 2*most {
		return runs
	}
	return append(runs[:most], runs[len(runs)-most:]...)
}
