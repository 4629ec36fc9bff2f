package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
)

// Builds is what Temporal knows of the builds of a deployment, at one moment.
type Builds struct {
	Deployment string
	Current    string // is given all work; empty: none yet
	Since      time.Time
	Known      []KnownBuild // the newest first

	moment []byte // what the deployment was like
}

// KnownBuild is one of them.
type KnownBuild struct {
	Name     string
	MadeAt   time.Time
	Draining bool     // it was current
	Workers  []string // that ask at any queue, or did within the last minute
	Missing  []string // queues at which nobody of it asks
}

// Ready says whether somebody of it asks at every queue.
func (b KnownBuild) Ready() bool { return b.Name != "" && len(b.Missing) == 0 }

// Build finds one by its name.
func (b Builds) Build(name string) KnownBuild {
	for _, known := range b.Known {
		if known.Name == name {
			return known
		}
	}
	return KnownBuild{}
}

// ErrBuildsChanged says that somebody else was faster.
var ErrBuildsChanged = errors.New("the builds change just now; look at customerzero promote --status")

// Builds asks for the builds of a deployment. One that nobody has heard of has none.
func (c *Client) Builds(ctx context.Context, deployment string) (Builds, error) {
	found := Builds{Deployment: deployment}
	seen, err := c.Temporal.WorkerDeploymentClient().GetHandle(deployment).Describe(ctx, client.WorkerDeploymentDescribeOptions{})
	if _, none := errors.AsType[*serviceerror.NotFound](err); none {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	found.moment = seen.ConflictToken
	if current := seen.Info.RoutingConfig.CurrentVersion; current != nil {
		found.Current, found.Since = current.BuildID, seen.Info.RoutingConfig.CurrentVersionChangedTime
	}
	asking, err := c.asking(ctx, deployment)
	if err != nil {
		return found, err
	}
	for _, version := range seen.Info.VersionSummaries {
		build := asking.of(version.Version.BuildID)
		build.MadeAt = version.CreateTime
		build.Draining = version.DrainageStatus == client.WorkerDeploymentVersionDrainageStatusDraining
		found.Known = append(found.Known, build)
	}
	slices.SortFunc(found.Known, func(a, b KnownBuild) int { return b.MadeAt.Compare(a.MadeAt) })
	return found, nil
}

// MakeCurrent gives all work to a build, unless its deployment is not any more as it was seen.
func (c *Client) MakeCurrent(ctx context.Context, seen Builds, build string) error {
	_, err := c.Temporal.WorkerDeploymentClient().GetHandle(seen.Deployment).SetCurrentVersion(ctx,
		client.WorkerDeploymentSetCurrentVersionOptions{BuildID: build, ConflictToken: seen.moment})
	if _, refused := errors.AsType[*serviceerror.FailedPrecondition](err); refused {
		return fmt.Errorf("%w (%s)", ErrBuildsChanged, err.Error())
	}
	return err
}

// SingIn runs a canary flow to its end in a build, current or not.
func (c *Client) SingIn(ctx context.Context, deployment, build string) error {
	return c.sing(ctx, &client.PinnedVersioningOverride{
		Version: worker.WorkerDeploymentVersion{DeploymentName: deployment, BuildID: build},
	})
}

// asksWithin is how long ago a worker that lives has asked: each request waits a minute.
const asksWithin = 70 * time.Second

// door is where workers ask for work.
type door struct {
	queue string
	kind  enums.TaskQueueType
}

// doors are where every worker asks.
func doors() []door {
	all := []door{{QueueCore, enums.TASK_QUEUE_TYPE_WORKFLOW}, {QueuePatient, enums.TASK_QUEUE_TYPE_WORKFLOW}}
	for _, queue := range []string{QueueCore, QueuePatient, QueueModels, QueueCell, QueueBrowser} {
		all = append(all, door{queue, enums.TASK_QUEUE_TYPE_ACTIVITY})
	}
	return all
}

func (d door) String() string {
	if d.kind == enums.TASK_QUEUE_TYPE_WORKFLOW {
		return d.queue + " (flows)"
	}
	return d.queue
}

// askers are the workers at each door, by build.
type askers map[door]map[string][]string

func (c *Client) asking(ctx context.Context, deployment string) (askers, error) {
	found := askers{}
	for _, at := range doors() {
		seen, err := c.Temporal.DescribeTaskQueue(ctx, at.queue, at.kind)
		if err != nil {
			return nil, err
		}
		found[at] = map[string][]string{}
		for _, poller := range seen.Pollers {
			of := poller.GetDeploymentOptions()
			if of.GetDeploymentName() == deployment && time.Since(poller.GetLastAccessTime().AsTime()) < asksWithin {
				found[at][of.GetBuildId()] = append(found[at][of.GetBuildId()], poller.Identity)
			}
		}
	}
	return found, nil
}

func (a askers) of(build string) KnownBuild {
	known := KnownBuild{Name: build}
	for _, at := range doors() {
		if len(a[at][build]) == 0 {
			known.Missing = append(known.Missing, at.String())
		}
		known.Workers = append(known.Workers, a[at][build]...)
	}
	slices.Sort(known.Workers)
	known.Workers = slices.Compact(known.Workers)
	return known
}
