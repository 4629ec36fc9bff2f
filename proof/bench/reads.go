package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
		return b.readIn(ctx, w)
	})
}

func (b *bench) readIn(ctx context.Context, w *world) (all []figure, err error) {
	_, header, err := get(ctx, w.up.site+newestPosts)
	if err != nil {
		return nil, err
	}
	known := "If-None-Match: " + header.Get("ETag")
	page := w.contest(b, publicReads, "a page of 50 posts", "Gin and GORM, the same rows", fetch("/gorm/posts"), fetch(newestPosts))
	crowded := page
	page.atOnce, page.rate = 1, atLeast(readTarget)
	crowded.atOnce, crowded.rate, crowded.wait = 16, atLeast(readTarget), atMost(readPatience)
	plain := w.contest(b, publicReads, "the same page, plainer", "Gin and SQL, the same rows", fetch("/sql/posts"), fetch(newestPosts))
	plain.atOnce = 16
	unchanged := load{ask: always(wire(http.MethodGet, newestPosts, "", known)), want: http.StatusNotModified}
	kept := w.contest(b, publicReads, "the same page, unchanged (304)", "Gin, the page from memory", fetch("/memory/posts"), unchanged)
	kept.atOnce, kept.rate = 16, atLeast(keptTarget)
	landing := w.contest(b, publicReads, "the landing page", "Gin, the page from memory", fetch("/page"), fetch("/"))
	landing.atOnce, landing.rate = 16, atLeast(keptTarget)
	for _, c := range []contest{page, crowded, plain, kept, landing} {
		if w.kind != "SQLite" && c.atOnce == 16 && c.what == landing.what { // reads no database
			continue
		}
		found, err := c.hold(ctx)
		all = append(all, found...)
		if err != nil {
			return all, fmt.Errorf("%s: %w", c.what, err)
		}
	}
	return all, nil
}

// fetch asks for a page that is there.
func fetch(path string) load {
	return load{ask: always(wire(http.MethodGet, path, "")), want: http.StatusOK}
}

func get(ctx context.Context, url string) (body []byte, header http.Header, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, nil, err
	}
	resp, err := (&http.Client{Transport: connections}).Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err = io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(url + " answered " + resp.Status)
	}
	return body, resp.Header, err
}
