// Package baseline is what the product's API is measured beside: a server that does the least which
// anybody would have to for the same answers. It asks who nobody is, limits nothing, and checks
// nothing that the database does not.
//
// It works on the product's own database, so that both have the same rows on the same disk. What
// it writes, it writes into tables of its own.
package baseline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/gin-gonic/gin"
)

// Settings of the process; an address may hold a password, which arguments would show to everybody.
const (
	DatabaseSetting = "BASELINE_DATABASE" // as the product's DATABASE_URL
	TemporalSetting = "BASELINE_TEMPORAL" // host:port; empty: nobody starts flows
	PageSetting     = "BASELINE_PAGE"     // a file that is served from memory; empty: there is none
)

// Serve answers until ctx ends, or until whoever started it is gone. It says where.
func Serve(ctx context.Context) (err error) {
	handler, leave, err := Open(ctx, os.Getenv(DatabaseSetting), os.Getenv(TemporalSetting), os.Getenv(PageSetting))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	return answer(ctx, handler)
}

// Open makes a baseline on a product's database; leave closes what it has opened.
func Open(ctx context.Context, database, temporal, page string) (handler http.Handler, leave func() error, err error) {
	rows, err := open(database)
	if err != nil {
		return nil, nil, err
	}
	flows, err := dial(ctx, temporal)
	if err != nil {
		return nil, nil, errors.Join(err, rows.close())
	}
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	routePosts(router, rows)
	routeVotes(router, rows)
	routeSlots(router, rows, flows)
	leave = func() error {
		flows.close()
		return rows.close()
	}
	return router, leave, routePage(router, page)
}

// routePage serves a file from memory.
func routePage(router *gin.Engine, file string) error {
	if file == "" {
		return nil
	}
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	router.GET("/page", func(c *gin.Context) { c.Data(http.StatusOK, "text/html; charset=utf-8", page) })
	return nil
}

func answer(ctx context.Context, handler http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with whoever started us
		_ = server.Close()
	}()
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	_, _ = fmt.Fprintln(os.Stdout, listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
