package cli

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
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

// viewer is what a worker looks at our own pages with.
type verificationDeps struct {
	guard    *egress.Guard
	browser  *browser.Browser
	pictures *blob.Store
	eyes     activities.VisionModel // nil: only the built-in analysis comments
}

func newViewer(cfg config.Config) (*verificationDeps, error) {
	guard, err := egress.New(egress.Options{Sites: sites(cfg)})
	if err != nil {
		return nil, fmt.Errorf("PUBLIC_URL, VERIFY_SITES or CHAOS_TARGET_URL is no origin: %w", err)
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
		v.eyes, err = models.VisionModel(cfg.VisionModel)
	}
	return v, err
}

func newBrowser(cfg config.Config, guard *egress.Guard) *browser.Browser {
	return browser.New(browser.Options{Dir: browserDir(cfg), Node: cfg.BrowserNode, Chromium: cfg.Chromium, Guard: guard})
}

func openPictures(cfg config.Config) (*blob.Store, error) {
	pictures, err := blob.Open(filepath.Join(cfg.DataDir, "blobs"))
	if err != nil {
		return nil, fmt.Errorf("the pictures under %s cannot be opened; mend its permissions (%w)", cfg.DataDir, err)
	}
	return pictures, nil
}

// browserDir is where make build puts the driver: beside the program.
func browserDir(cfg config.Config) string {
	if cfg.BrowserDir != "" {
		return cfg.BrowserDir
	}
	program, err := os.Executable()
	if err != nil {
		return "browser"
	}
	return filepath.Join(filepath.Dir(program), "browser")
}

// origins are those that anybody may have looked at; the first is our own.
func origins(cfg config.Config) []string {
	all := []string{originOf(publicURL(cfg))}
	for _, site := range cfg.VerifySites {
		all = append(all, originOf(strings.TrimSpace(site)))
	}
	return all
}

// sites are what the browser may reach: the origins, and the chaos target, which is only photographed
// when it is broken on purpose. Where that one lies is the operator's word.
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

// hostPort is where a URL leads, its port named.
func hostPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	if u.Scheme == "https" {
		return u.Host + ":443"
	}
	return u.Host + ":80"
}

// originOf is the origin of an address, written as browsers write it.
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

// client asks public endpoints as the browser would: by the same way out, and no further than
// the first answer.
func (v *verificationDeps) client() *http.Client {
	return &http.Client{
		Transport:     telemetry.Transport(&http.Transport{DialContext: v.guard.DialContext, DialTLSContext: v.guard.DialTLSContext, MaxIdleConnsPerHost: 6, IdleConnTimeout: 10 * time.Second}),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// lookEvery is how often it is looked whether the browser may be closed.
const lookEvery = 15 * time.Second

// keep says how the browser stands, and closes it whenever nobody needed it for a while.
func (v *verificationDeps) keep(ctx context.Context, db *store.DB) {
	v.introduce(ctx, db)
	every := time.NewTicker(lookEvery)
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

// introduce notes whether there is a browser, without starting it.
func (v *verificationDeps) introduce(ctx context.Context, db *store.DB) {
	version, err := v.browser.Check(ctx)
	now := time.Now().UTC()
	state := verification.BrowserState{ID: verification.TheBrowser, Ready: err == nil, Version: version, SeenAt: &now}
	if err != nil {
		state.Message = "The browser is not available."
		if problem.CodeOf(err) == problem.BrowserMissing {
			state.Message = err.Error()
		}
		slog.WarnContext(ctx, "pages cannot be looked at; everything else works", "reason", state.Message)
	}
	if err := db.Verifications.NoteBrowser(ctx, state); err != nil {
		slog.WarnContext(ctx, "how the browser stands could not be noted", "error", err)
	}
}

func (v *verificationDeps) close() {
	if err := v.browser.Close(); err != nil {
		slog.Warn("the browser did not close well", "error", err)
	}
}
