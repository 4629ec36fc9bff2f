// Package upgrade tests what happens to runs that are under way when a new build of the worker
// comes: processes of several builds, with real differences in a flow, on one Temporal server and
// one Postgres.
package upgrade
