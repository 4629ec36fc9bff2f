package main

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
)

// landingTarget is what the front page may load of scripts before anything is asked for, in
// thousands of bytes as they go over the wire: half as much again as React alone.
const landingTarget = 105

// named are the scripts that a document names: to run, or to have at hand.
var named = regexp.MustCompile(`(?:src|href)="(/[^"]+\.js)"`)

// scripts weighs what browsers load of scripts, as the product sends it.
func (b *bench) scripts(ctx context.Context) (found []figure, err error) {
	err = b.onFresh(ctx, func(up *upProduct) error {
		landing, err := weigh(ctx, up.site, "/")
		if err != nil {
			return err
		}
		app, err := weigh(ctx, up.site, "/dashboard")
		const subject = "Scripts that browsers load"
		found = []figure{
			{Subject: subject, What: "the front page, at first", Unit: "kB", Ours: float64(landing) / 1000, Target: atMost(landingTarget)},
			{Subject: subject, What: "the app, at first, whichever page", Unit: "kB", Ours: float64(app) / 1000},
		}
		return err
	})
	return found, err
}

// weigh loads a document as browsers do, and says how many bytes its scripts are on the wire.
func weigh(ctx context.Context, site, path string) (total int, err error) {
	document, err := caller{site: site}.get(ctx, path)
	if err != nil {
		return 0, err
	}
	found := named.FindAllSubmatch(document.body, -1)
	if len(found) == 0 {
		return 0, fmt.Errorf("the page %s names no script", path)
	}
	seen := map[string]bool{}
	packed := caller{site: site, header: http.Header{"Accept-Encoding": {"gzip"}}} // who asks for it gets the bytes as they are sent
	for _, match := range found {
		name := string(match[1])
		if seen[name] {
			continue
		}
		seen[name] = true
		file, err := packed.get(ctx, name)
		if err != nil {
			return 0, err
		}
		total += len(file.body)
	}
	return total, nil
}
