// Package node runs a whole Temporal server inside this process: frontend, history,
// matching, system worker and Web UI, persisted in one
// SQLite file, or in two databases of a Postgres server.
//
// It is meant for one machine. Everything binds to one loopback address, since the server
// knows no logins. Nothing of the product may be imported here: the product's module and
// the server's dependencies move at their own pace.
//
// The server is a library without promises between versions, so what this package uses
// of it is kept small, and its version is pinned exactly.
package node
