package supervisor_test

import (
	"database/sql"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	_ "modernc.org/sqlite"
)

// The test binary is also the replica, and a supervisor that can be killed.
const (
	asReplica = "KEEPER_TEST_AS_REPLICA"
	asKeeper  = "KEEPER_TEST_AS_KEEPER"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(asReplica); dir != "" {
		replica(dir)
	}
	if dir := os.Getenv(asKeeper); dir != "" {
		wholeKeeper(dir)
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "8") // they wait for processes and leases most of the time, whatever the machine
	os.Exit(m.Run())
}

// replica serves what a supervisor can break: its files and its database.
func replica(dir string) {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if dir == "ends at once" {
		os.Exit(1)
	}
	listener, err := net.FileListener(os.NewFile(3, "listener"))
	must(err)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "cell.db")+"?_pragma=busy_timeout(1000)&_pragma=journal_mode(WAL)")
	must(err)
	_, _ = db.Exec("CREATE TABLE IF NOT EXISTS facts (fact text); CREATE TABLE IF NOT EXISTS more (fact text)")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /pid", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strconv.Itoa(os.Getpid())) })
	mux.HandleFunc("GET /env", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, os.Environ()) })
	mux.HandleFunc("GET /facts", func(w http.ResponseWriter, _ *http.Request) {
		var n int
		if err := db.QueryRow("SELECT count(*) FROM facts").Scan(&n); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = io.WriteString(w, strconv.Itoa(n))
	})
	mux.HandleFunc("POST /facts", func(w http.ResponseWriter, _ *http.Request) {
		if _, err := db.Exec("INSERT INTO facts (fact) VALUES (?)", "a fact"); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	mux.Handle("GET /", http.FileServer(http.Dir(filepath.Join(dir, "live"))))
	must(http.Serve(listener, mux))
}

func must(err error) {
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
