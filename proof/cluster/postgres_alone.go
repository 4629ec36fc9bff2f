package cluster

import (
	"context"
	"io"
)

// StartPostgres starts nothing of a cluster but a Postgres server of its own, in a directory. It is
// there for whoever wants one that may be killed.
func StartPostgres(ctx context.Context, dir string) (*Cluster, error) {
	c := &Cluster{options: Options{Dir: dir, Out: io.Discard}, ready: map[*Process]func(context.Context) error{}}
	err := c.makeSecrets()
	if err == nil {
		err = c.startPostgres(ctx)
	}
	if err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// PostgresURL is that of the server, and not of the product's database on it.
func (c *Cluster) PostgresURL() string { return c.server }
