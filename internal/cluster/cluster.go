package cluster

import (
	"context"
	"errors"
	"io"
)

// Options say what a cluster is made of.
type Options struct {
	Dir       string // of data and logs; kept
	Product   string // the program
	Temporald string
	Caddy     string
	Caddyfile string
	Postgres  string // a server on which we may make databases; empty: one of our own, in Dir
	Database  string // the product's own database, made and reachable; empty: one on Postgres
	Address   string // host:port of the proxy; empty: a free port
	APIs      int
	Workers   int
	Settings  []string // NAME=value, of every process of the product; they win over ours
	Out       io.Writer
}

// Cluster is the product as several processes.
type Cluster struct {
	URL     string // of the proxy
	CellURL string

	Postgres *Process // nil: not ours
	Temporal *Process
	Sandbox  *Process
	APIs     []*Process
	Workers  []*Process
	Cell     *Process
	Proxy    *Process
}

// Start starts everything, in the order in which one needs the other, and returns when the
// proxy has somebody to send requests to and flows are run.
func Start(context.Context, Options) (*Cluster, error) {
	return nil, errors.New("not built yet")
}

// Roll restarts every process, one after the other: the next when the last is ready again.
func (c *Cluster) Roll(context.Context) error { return nil }

// Stop ends what Start began, last first.
func (c *Cluster) Stop() {}
