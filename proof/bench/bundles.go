package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// landingTarget is what the front page may load of scripts before anything is asked for, in
// thousands of bytes as they go over the wire: half as much again as React alone.
const landingTarget = 105

// manifestFile is where the build of the pages says what it made; programs are named alike,
// from the repository's root.
var manifestFile = filepath.Join("ui", "dist", ".vite", "manifest.json")

// scripts are what a document names: to run, or to have at hand.
var scripts = regexp.MustCompile(`(?:src|href)="(/[^"]+\.js)"`)

// chunk is a part of the built pages, as the build describes it.
type chunk struct {
	File    string   `json:"file"`
	Src     string   `json:"src"`
	Entry   bool     `json:"isEntry"`
	Lazy    bool     `json:"isDynamicEntry"`
	Imports []string `json:"imports"`
}

// bundles weighs what browsers load of scripts, as the product sends it.
func (b *bench) bundles(ctx context.Context) (found []figure, err error) {
	manifest, err := readManifest(manifestFile)
	if err != nil {
		return nil, err
	}
	err = b.onFresh(ctx, func(up *upProduct) error {
		landing, err := weigh(ctx, up.site, "/")
		if err != nil {
			return err
		}
		app, err := weigh(ctx, up.site, "/dashboard")
		found = bundleFigures(landing, app, manifest)
		return err
	})
	return found, err
}

func bundleFigures(landing, app int, manifest map[string]chunk) []figure {
	const subject = "Scripts that browsers load"
	pages, lazy := pagesOf(manifest)
	return []figure{
		{Subject: subject, What: "the front page, at first", Unit: "kB", Ours: float64(landing) / 1000, Target: atMost(landingTarget)},
		{Subject: subject, What: "the app, at first, whichever page", Unit: "kB", Ours: float64(app) / 1000},
		{
			Subject: subject, What: "pages of the app that are loaded when somebody goes there", Unit: "pages", Beside: "all of its pages",
			Floor: float64(pages), Ours: float64(lazy), Target: atLeast(1),
		},
	}
}

func readManifest(file string) (map[string]chunk, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var manifest map[string]chunk
	return manifest, json.Unmarshal(text, &manifest)
}

// pagesOf counts the pages of the app, and those that are not part of what it loads at first.
func pagesOf(manifest map[string]chunk) (pages, lazy int) {
	first := map[string]bool{}
	for name, c := range manifest {
		if c.Entry {
			manifestImports(manifest, name, first)
		}
	}
	for name, c := range manifest {
		if !strings.HasPrefix(c.Src, "src/pages/") {
			continue
		}
		pages++
		if c.Lazy && !first[name] {
			lazy++
		}
	}
	return pages, lazy
}

// manifestImports collects a chunk with all that it needs at once.
func manifestImports(manifest map[string]chunk, name string, into map[string]bool) {
	if into[name] {
		return
	}
	into[name] = true
	for _, needed := range manifest[name].Imports {
		manifestImports(manifest, needed, into)
	}
}

// weigh loads a document as browsers do, and says how many bytes its scripts are on the wire.
func weigh(ctx context.Context, site, path string) (total int, err error) {
	document, err := asSent(ctx, site+path, "identity")
	if err != nil {
		return 0, err
	}
	found := scripts.FindAllSubmatch(document, -1)
	if len(found) == 0 {
		return 0, fmt.Errorf("the page %s names no script", path)
	}
	seen := map[string]bool{}
	for _, match := range found {
		name := string(match[1])
		if seen[name] {
			continue
		}
		seen[name] = true
		file, err := asSent(ctx, site+name, "gzip")
		if err != nil {
			return 0, err
		}
		total += len(file)
	}
	return total, nil
}

// asSent gives an answer's bytes as they were sent: who names an encoding decodes it, too.
func asSent(ctx context.Context, url, encoding string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept-Encoding", encoding)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %d", url, resp.StatusCode)
	}
	return io.ReadAll(resp.Body)
}
