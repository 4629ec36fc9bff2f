// Package cluster runs the topology of docker-compose.yml as processes of this machine, all on
// loopback: Postgres, a Temporal server that keeps its data there, sandboxes, two API servers, two
// workers, the cell, and the proxy in front. It is for people without containers, and for the
// tests of what only several replicas can get wrong.
package cluster
