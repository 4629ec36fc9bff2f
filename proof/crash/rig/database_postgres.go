package rig

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of who makes databases
	"github.com/rs/xid"

	"customerzero/internal/store/pgretry"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/network"
)

// server is a Postgres database behind a proxy, which is where it is cut.
type server struct {
	name  string
	admin *sql.DB
	db    *sql.DB
	proxy *network.Proxy
	url   string // through the proxy
}

func openServer(ctx context.Context, address string) (*server, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" {
		return nil, errors.New("TEST_DATABASE_URL names no Postgres: use scripts/with-postgres")
	}
	s := &server{name: "crash_" + xid.New().String()}
	if s.admin, err = sql.Open("pgx", parsed.String()); err != nil {
		return nil, err
	}
	if _, err = s.admin.ExecContext(ctx, "CREATE DATABASE "+s.name); err != nil {
		return nil, err
	}
	parsed.Path = "/" + s.name
	books, err := pgretry.Open(parsed.String()) // it may be the server that dies
	if err != nil {
		return nil, err
	}
	s.db = sql.OpenDB(books)
	if err := migrate(ctx, parsed.String()); err != nil {
		return nil, err
	}
	if s.proxy, err = network.Open(parsed.Host); err != nil {
		return nil, err
	}
	parsed.Host = s.proxy.Address()
	s.url = parsed.String()
	return s, nil
}

func (s *server) address() string { return s.url }
func (s *server) Books() *sql.DB  { return s.db }

func (s *server) cut(ctx context.Context, length time.Duration) error {
	s.proxy.Cut()
	cluster.Wait(ctx, length)
	return s.proxy.Mend()
}

func (s *server) close() {
	s.proxy.Close()
	_ = s.db.Close()
	_, _ = s.admin.Exec(fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", s.name))
	_ = s.admin.Close()
}
