package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// connections are kept: opening one is not what is measured.
var connections = &http.Transport{MaxIdleConnsPerHost: 64}

// caller calls a product as one person does.
type caller struct {
	site   string
	header http.Header    // of each call
	jar    http.CookieJar // nil: no cookies are kept
}

// from is a caller whose network address is this, as far as the product can know.
func from(site, address string) caller {
	return caller{site: site, header: http.Header{"X-Forwarded-For": {address}}}
}

// call sends a body, as a form or as JSON, and reads the answer into reply. nil is none of either.
func (c caller) call(ctx context.Context, method, path string, body, reply any) (status int, err error) {
	var sent io.Reader = http.NoBody
	kind := "application/json"
	if form, ok := body.(url.Values); ok {
		sent, kind = strings.NewReader(form.Encode()), "application/x-www-form-urlencoded"
	} else if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		sent = bytes.NewReader(text)
	}
	got, err := c.send(ctx, method, path, sent, kind)
	if err != nil || reply == nil {
		return got.status, err
	}
	return got.status, json.Unmarshal(got.body, reply)
}

// get reads a page.
func (c caller) get(ctx context.Context, path string) (answer, error) {
	return c.send(ctx, http.MethodGet, path, http.NoBody, "")
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

// send follows no redirect. An answer that says no is an error.
func (c caller) send(ctx context.Context, method, path string, body io.Reader, kind string) (got answer, err error) {
	if strings.HasPrefix(path, "/") {
		path = c.site + path
	}
	req, err := http.NewRequestWithContext(ctx, method, path, body)
	if err != nil {
		return got, err
	}
	maps.Copy(req.Header, c.header)
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	stays := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := (&http.Client{Transport: connections, Jar: c.jar, CheckRedirect: stays, Timeout: time.Minute}).Do(req)
	if err != nil {
		return got, err
	}
	defer func() { _ = resp.Body.Close() }()
	got = answer{status: resp.StatusCode, header: resp.Header}
	got.body, err = io.ReadAll(resp.Body)
	if err == nil && got.status >= http.StatusBadRequest {
		err = fmt.Errorf("%s %s answered %d: %.500s", method, req.URL.Path, got.status, got.body)
	}
	return got, err
}

// repeatWithin is how long a chaos run may take, with the wait for the one before it, and a late post.
const repeatWithin = 90 * time.Second

// repeat tries four times a second until it is done.
func repeat(ctx context.Context, try func() (done bool, err error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, repeatWithin, fmt.Errorf("not over after %v", repeatWithin))
	defer cancel()
	for {
		if done, err := try(); done || err != nil {
			return err
		}
		if err := pass(ctx, 250*time.Millisecond); err != nil {
			return err
		}
	}
}

// pass lets time pass.
func pass(ctx context.Context, while time.Duration) error {
	timer := time.NewTimer(while)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
