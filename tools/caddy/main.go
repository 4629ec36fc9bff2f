// Command caddy is the reverse proxy, in the version of the Docker image. It is built here for machines without
// containers and for tests.
package main

import (
	"github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard" // the directives of the Caddyfile
)

func main() { caddycmd.Main() }
