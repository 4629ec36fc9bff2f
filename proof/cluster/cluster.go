package cluster

import (
	"context"
	"io"
	"net"
	"sync"
)

// Options say what a cluster is made of.
type Options struct {
	Dir         string // of data and logs; kept
	Product     string // the program
	Temporald   string
	Caddy       string
	Caddyfile   string
	Postgres    string // a server on which we may make databases; empty: one of our own, in Dir
	Database    string // the product's own database, made and reachable; empty: one on Postgres
	Address     string // host:port of the proxy; empty: a free port
	CellAddress string // where the proxy shows the cell; empty: a free port
	APIs        int
	Workers     int
	Settings    []string // NAME=value, of every process of the product; they win over ours
	Out         io.Writer
}

// Cluster is the product as several processes.
type Cluster struct {
	URL             string // of the proxy
	CellURL         string
	CellControlURL  string
	SandboxURL      string // of X, Stripe, and the pages of all sandboxes
	SMTP            string // of the mail sandbox
	TemporalAddress string
	TemporalURL     string // of the console
	AdminKey        string

	Postgres *Process // nil: not ours
	Temporal *Process
	Sandbox  *Process
	APIs     []*Process
	Workers  []*Process
	Cell     *Process
	Proxy    *Process

	options   Options
	database  string // the product's
	server    string // Postgres
	env       []string
	sites     []*site        // what the proxy listens to
	notices   net.PacketConn // where it says that it serves
	ready     map[*Process]func(context.Context) error
	processes []*Process
	closers   []func()
	stopping  sync.Once
}

// Processes lists all, in the order of their start.
func (c *Cluster) Processes() []*Process { return c.processes }

// Environment is that of every process of the product.
func (c *Cluster) Environment() []string { return append([]string{}, c.env...) }

// DataDir is where the product keeps its files.
func (c *Cluster) DataDir() string { return c.options.Dir }

// TemporalDatabase is Temporal's on Postgres; lists of runs are in another, with _visibility.
func (c *Cluster) TemporalDatabase() string { return "temporal" + c.suffix() }

func (c *Cluster) later(f func()) { c.closers = append(c.closers, f) }

// Stop ends what Start began, last first.
func (c *Cluster) Stop() {
	c.stopping.Do(func() {
		for i := len(c.closers) - 1; i >= 0; i-- {
			c.closers[i]()
		}
	})
}
