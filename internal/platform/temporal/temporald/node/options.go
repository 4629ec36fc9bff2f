package node

import (
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"go.temporal.io/api/enums/v1"
)

// Options says where a node keeps its data and what it listens on.
type Options struct {
	DBFile    string
	Postgres  string // URL of a server that keeps the data instead of the file
	Databases string // their names there: this, and this with _visibility

	Host   string // a loopback IP
	Port   int
	UIPort int // 0: no Web UI

	// Namespace is made with Retention and SearchAttributes when the database does
	// not hold it yet. Later starts leave it as it is.
	Namespace        string
	Retention        time.Duration
	SearchAttributes map[string]enums.IndexedValueType

	// Sync is SQLite's "synchronous": "full" survives a power cut, "normal" only the
	// death of the process.
	Sync string

	// LockWait is how long to wait for a process that still uses the database.
	LockWait time.Duration

	Logger *slog.Logger
}

func (o Options) address() string { return hostPort(o.Host, o.Port) }

// checked returns the options with an absolute file name, or says what cannot work.
func (o Options) checked() (Options, error) {
	ip := net.ParseIP(o.Host)
	switch {
	case ip == nil || !ip.IsLoopback():
		return o, fmt.Errorf("host %q is not a loopback address, and the server knows no logins", o.Host)
	case o.Port < 1 || o.Port > 65535 || o.UIPort < 0 || o.UIPort > 65535:
		return o, fmt.Errorf("ports %d and %d are not both between 1 and 65535", o.Port, o.UIPort)
	case o.Port == o.UIPort:
		return o, fmt.Errorf("port %d is asked for twice", o.Port)
	case o.Sync != "full" && o.Sync != "normal":
		return o, fmt.Errorf("sync %q is neither full nor normal", o.Sync)
	case o.Retention < time.Hour:
		return o, fmt.Errorf("a retention of %v is below Temporal's minimum of one hour", o.Retention)
	case o.Namespace == "" || o.DBFile == "":
		return o, fmt.Errorf("the namespace and the database file need names")
	}
	file, err := filepath.Abs(o.DBFile)
	o.DBFile = file
	return o, err
}

func hostPort(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }
