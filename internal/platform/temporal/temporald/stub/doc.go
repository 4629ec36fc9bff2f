// Package autoscaled replaces go.temporal.io/auto-scaled-workers, with which the Temporal server starts workers on
// AWS, Google Cloud and Kubernetes. This server starts none, and the cloud SDKs are a fifth of its cold build and a
// third of its binary.
//
// It contains only what the server needs to compile, so that an update that needs more fails to build. All calls
// return errors, because no worker is ever started.
package autoscaled
