package main

import (
	"context"
	"net/http"
)

// What GORM costs is not ours to save, what we add to it is.
const (
	readTarget   = 0.85
	readPatience = 1.3 // of the wait of all but one in a hundred
	keptTarget   = 0.5 // of what comes out of memory
)

const (
	newestPosts = "/api/posts?limit=50"
	publicReads = "Public reads"
)

// reads measures what strangers read: a page of posts, the same when it has not changed, and the
// landing page.
func (b *bench) reads(ctx context.Context) ([]figure, error) {
	return b.inWorlds(ctx, func(ctx context.Context, w *world) ([]figure, error) {
		if err := populate(ctx, w.database); err != nil {
			return nil, err
		}
		first, err := caller{site: w.up.site}.get(ctx, newestPosts)
		if err != nil {
			return nil, err
		}
		known := "If-None-Match: " + first.header.Get("ETag")
		unchanged := load{ask: always(wire(http.MethodGet, newestPosts, "", known)), want: http.StatusNotModified}
		page := w.contest(b, publicReads, "a page of 50 posts", "Gin and GORM, the same rows", fetch("/gorm/posts"), fetch(newestPosts))
		crowded := page
		page.atOnce, page.rate = 1, atLeast(readTarget)
		crowded.atOnce, crowded.rate, crowded.wait = 16, atLeast(readTarget), atMost(readPatience)
		kept := w.contest(b, publicReads, "the same page, unchanged (304)", "Gin, the page from memory", fetch("/memory/posts"), unchanged)
		kept.atOnce, kept.rate = 16, atLeast(keptTarget)
		landing := w.contest(b, publicReads, "the landing page", "Gin, the page from memory", fetch("/page"), fetch("/"))
		landing.atOnce, landing.rate = 16, atLeast(keptTarget)
		if w.kind != "SQLite" { // the landing page reads no database
			return holdAll(ctx, page, crowded, kept)
		}
		return holdAll(ctx, page, crowded, kept, landing)
	})
}

// fetch asks for a page that is there.
func fetch(path string) load {
	return load{ask: always(wire(http.MethodGet, path, "")), want: http.StatusOK}
}
