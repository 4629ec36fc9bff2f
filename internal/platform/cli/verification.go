package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"customerzero/activities"
	"customerzero/internal/clients/blob"
	"customerzero/internal/clients/browser"
	"customerzero/internal/clients/egress"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
	"customerzero/internal/platform/config"
	"customerzero/internal/platform/telemetry"
	"customerzero/internal/store"
)

// verificationDeps are the clients of the site checks.
type verificationDeps struct {
	guard    *egress.Guard
	browser  *browser.Browser
	pictures *blob.Store
	vision   activities.VisionModel // nil without VISION_MODEL
}

func newVerificationDeps(cfg config.Config) (*verificationDeps, error) {
	guard, err := egress.New(egress.Options{Sites: sites(cfg)})
	if err != nil {
		return nil, fmt.Errorf("PUBLIC_URL, VERIFY_SITES or CHAOS_TARGET_URL is not an origin such as https://example.com: %w", err)
	}
	pictures, err := openPictures(cfg)
	if err != nil {
		return nil, err
	}
	v := &verificationDeps{guard: guard, browser: newBrowser(cfg, guard), pictures: pictures}
	if cfg.VisionModel == "" {
		return v, nil
	}
	models, err := newModels(cfg)
	if err == nil {
		v.vision, err = models.VisionModel(cfg.VisionModel)
	}
	return v, err
}

func newBrowser(cfg config.Config, guard *egress.Guard) *browser.Browser {
	return browser.New(browser.Options{
		Dir: cmp.Or(cfg.BrowserDir, besideProgram("browser")), Node: cfg.BrowserNode, Chromium: cfg.Chromium, Guard: guard,
		IsPage: func(url string) bool { return verification.IsPage(url, origins(cfg)) },
	})
}

func openPictures(cfg config.Config) (*blob.Store, error) {
	pictures, err := blob.Open(filepath.Join(cfg.DataDir, "blobs"))
	if err != nil {
		return nil, fmt.Errorf("the screenshots in %s cannot be opened; fix its permissions (%w)", cfg.DataDir, err)
	}
	return pictures, nil
}

// origins lists the sites that may be verified, the product's own first.
func origins(cfg config.Config) []string {
	all := []string{originOf(publicURL(cfg))}
	for _, site := range cfg.VerifySites {
		all = append(all, originOf(strings.TrimSpace(site)))
	}
	return all
}

// sites lists the origins that the browser may reach: those that may be verified, and the chaos target,
// of which only chaos runs take screenshots.
func sites(cfg config.Config) []egress.Site {
	var all []egress.Site
	for i, origin := range origins(cfg) {
		site := egress.Site{Origin: origin}
		if i == 0 {
			site.Dial = cfg.VerifyDial
		}
		all = append(all, site)
	}
	if cell, err := url.Parse(targetURL(cfg)); err == nil && cell.Host != "" {
		all = append(all, egress.Site{Origin: originOf(cell.String()), Dial: hostPort(cell)})
	}
	return all
}

// hostPort returns a URL's host with an explicit port.
func hostPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	if u.Scheme == "https" {
		return u.Host + ":443"
	}
	return u.Host + ":80"
}

// originOf returns a URL's origin as browsers serialize it.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	host := strings.ToLower(u.Host)
	for scheme, port := range map[string]string{"http": ":80", "https": ":443"} {
		if u.Scheme == scheme {
			host = strings.TrimSuffix(host, port)
		}
	}
	return u.Scheme + "://" + host
}

// client requests public endpoints through the browser's egress guard and follows no redirect.
func (v *verificationDeps) client() *http.Client {
	return &http.Client{
		Transport:     telemetry.Transport(&http.Transport{DialContext: v.guard.DialContext, DialTLSContext: v.guard.DialTLSContext, MaxIdleConnsPerHost: 6, IdleConnTimeout: 10 * time.Second}),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

const sweepEvery = 15 * time.Second

// keep stores the browser's state and closes an idle browser until ctx ends.
func (v *verificationDeps) keep(ctx context.Context, db *store.DB) {
	v.noteBrowser(ctx, db)
	every := time.NewTicker(sweepEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			v.browser.Sweep()
		}
	}
}

// noteBrowser stores whether a browser is installed, without starting it.
func (v *verificationDeps) noteBrowser(ctx context.Context, db *store.DB) {
	version, err := v.browser.Check(ctx)
	now := time.Now().UTC()
	state := verification.BrowserState{ID: verification.TheBrowser, Ready: err == nil, Version: version, SeenAt: &now}
	if err != nil {
		state.Message = "The browser is not available."
		if problem.CodeOf(err) == problem.BrowserMissing {
			state.Message = err.Error()
		}
		slog.WarnContext(ctx, "site checks are unavailable", "reason", state.Message)
	}
	if err := db.Verifications.NoteBrowser(ctx, state); err != nil {
		slog.WarnContext(ctx, "the browser's state could not be stored", "error", err)
	}
}

func (v *verificationDeps) close() {
	if err := v.browser.Close(); err != nil {
		slog.Warn("the browser did not close cleanly", "error", err)
	}
}
