// Package autoscaled stands in for go.temporal.io/auto-scaled-workers, by which
// the Temporal server starts workers on AWS, Google Cloud and Kubernetes. A server
// on a laptop starts none, but linking those SDKs is a fifth of its cold build
// and a third of its binary.
//
// Only what the server's compiler asks for may live here, so that a server bump that
// needs more fails to build instead of failing at run time. Every package says no:
// nothing here may pretend that a worker was started.
package autoscaled
