package rig

import (
	"context"

	"customerzero/proof/cluster"
)

// Cluster is the kind of stage on which everything is there twice, behind a proxy.
const Cluster = "cluster"

// startCluster starts a cluster on our database, so that it can be cut off; Temporal keeps its
// data on the same server, and cannot.
func (s *Stage) startCluster(ctx context.Context, settings []string) error {
	o := s.options
	c, err := cluster.Start(ctx, cluster.Options{
		Dir: s.Dir, Product: s.product, Temporald: o.Temporald, Caddy: o.Caddy, Caddyfile: o.Caddyfile,
		Postgres: o.Postgres, Database: s.DB.address(), Address: s.address, APIs: 2, Workers: 2, Settings: settings, Out: s.Diary,
	})
	if err != nil {
		return err
	}
	s.Later(c.Stop)
	s.cluster, s.APIs, s.Workers = c, c.APIs, c.Workers
	s.env, s.CellURL, s.temporal = c.Environment(), c.CellURL, c.TemporalAddress
	return s.dialTemporal(ctx)
}
