package launcher

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"

	"customerzero/internal/platform/ports"
)

// Options says which server to run, and where.
type Options struct {
	Bin    string // path of temporald
	DBFile string // its folder is made if need be
	Host   string // a loopback IP; empty is 127.0.0.1
	Port   int    // 0 is any free one
	UIPort int    // 0 is no Web UI

	// Namespace, with Retention and SearchAttributes, is made when the file is new.
	// Use EnsureSearchAttributes for a file that may be older than the attributes.
	Namespace        string        // empty is "default"
	Retention        time.Duration // 0 is 30 days: as long as a failed post may be tried again
	SearchAttributes map[string]enums.IndexedValueType

	// Sync is SQLite's "synchronous". Empty is "full", which survives a power cut.
	Sync string

	Logs io.Writer // what the child says; nil is nobody
}

func (o Options) withDefaults() (Options, error) {
	o.Host = cmp.Or(o.Host, "127.0.0.1")
	o.Namespace = cmp.Or(o.Namespace, "default")
	o.Retention = cmp.Or(o.Retention, 30*24*time.Hour)
	o.Sync = cmp.Or(o.Sync, "full")
	if o.Logs == nil {
		o.Logs = io.Discard
	}
	if o.Port != 0 {
		return o, nil
	}
	port, err := ports.Free(o.Host, 0) // fixed now, so that a restart takes the same
	o.Port = port
	return o, err
}

func (o Options) args() []string {
	return []string{
		"-db", o.DBFile,
		"-host", o.Host,
		"-port", strconv.Itoa(o.Port),
		"-ui-port", strconv.Itoa(o.UIPort),
		"-namespace", o.Namespace,
		"-retention", o.Retention.String(),
		"-sync", o.Sync,
		"-search-attributes", o.searchAttributes(),
		"-exit-with-stdin",
	}
}

func (o Options) searchAttributes() string {
	var list []string
	for name, kind := range o.SearchAttributes {
		list = append(list, name+"="+kind.String())
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}
