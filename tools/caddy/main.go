// Command caddy is the proxy in front of the replicas, as the Docker image of the same version
// has it. It is built here for machines without containers, and for the tests.
package main

import (
	"github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard" // what a Caddyfile may say
)

func main() { caddycmd.Main() }
