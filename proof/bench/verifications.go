package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"customerzero/proof/crash/rig"
)

const (
	lookRounds   = 8
	lookTarget   = 1.3 // of the wall time of plain pictures of the same pages
	memoryGrowth = 1.1 // of the browser's memory from the first verification to the last
)

// looks is what verifications took, and plain pictures of the same pages, in turns.
type looks struct {
	ours, plain   []time.Duration
	before, after int // the browser's memory (PSS), kB
}

// verifications look at the front page of a fresh product, in turns with plain Playwright.
func (b *bench) verifications(ctx context.Context) ([]figure, error) {
	var l looks
	err := b.onFresh(ctx, func(up *upProduct) (err error) {
		l, err = b.look(ctx, up)
		return err
	})
	if err != nil {
		return nil, err
	}
	return l.figures(), nil
}

func (b *bench) look(ctx context.Context, up *upProduct) (l looks, err error) {
	plain, err := startPlain(b.product)
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, plain.close()) }()
	for round := range lookRounds + 1 { // the first warms both up, and does not count
		took, err := verifyOnce(ctx, from(up.site, fmt.Sprintf("10.8.0.%d", round)))
		if err != nil {
			return l, err
		}
		baseline, err := plain.pictures(ctx, up.site+"/")
		if err != nil {
			return l, err
		}
		if round == 0 {
			l.before, err = browserMemory(up)
		} else {
			l.ours, l.plain = append(l.ours, took), append(l.plain, baseline)
		}
		if err != nil {
			return l, err
		}
	}
	l.after, err = browserMemory(up)
	return l, err
}

// verifyOnce waits for a verification, as a visitor does.
func verifyOnce(ctx context.Context, visitor *rig.Caller) (time.Duration, error) {
	var seen struct {
		Stage string
		Code  string
		Shots []struct{ Picture string }
	}
	began := time.Now()
	if err := ask(ctx, visitor, http.MethodPost, "/api/ai-verification", map[string]string{}, &seen); err != nil {
		return 0, err
	}
	took := time.Since(began)
	if seen.Stage != "ended" || seen.Code != "" || len(seen.Shots) != len(views) {
		return 0, fmt.Errorf("a verification came to nothing: stage %s, code %q, %d views", seen.Stage, seen.Code, len(seen.Shots))
	}
	return took, nil
}

// browserMemory is what the product's browser holds, all its processes together.
func browserMemory(up *upProduct) (pss int, err error) {
	own, _ := up.pids()
	var browser []int
	for _, pid := range own {
		program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if strings.Contains(filepath.Base(program), "chrom") {
			browser = append(browser, pid)
		}
	}
	if len(browser) == 0 {
		return 0, errors.New("the product has no browser running")
	}
	_, pss, err = memory(browser)
	return pss, err
}

// figures compare sums: one slow picture should not count for nothing.
func (l looks) figures() []figure {
	mean := func(times []time.Duration) float64 { return inMS(sum(times)) / float64(len(times)) }
	return []figure{
		{"Verifications", "four pictures of the front page", "ms", mean(l.plain), "plain Playwright", mean(l.ours), atMost(lookTarget)},
		{
			"Verifications", fmt.Sprintf("the browser's memory (PSS) after %d more", len(l.ours)), "MB",
			inMB(l.before), "itself after the first", inMB(l.after), atMost(memoryGrowth),
		},
	}
}

// plainBrowser takes pictures with Playwright and nothing else: what a verification is measured against.
type plainBrowser struct {
	driver  *playwright.Playwright
	browser playwright.Browser
}

// chromiums are where Debian puts the browser, in the order in which the product looks.
var chromiums = []string{"/usr/lib/chromium/chromium-headless-shell", "/usr/lib/chromium/chromium"}

func startPlain(product string) (*plainBrowser, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, err
	}
	if err := os.Setenv("PLAYWRIGHT_NODEJS_PATH", node); err != nil {
		return nil, err
	}
	var chromium string
	for _, path := range chromiums {
		if _, err := os.Stat(path); err == nil && chromium == "" {
			chromium = path
		}
	}
	dir := filepath.Join(filepath.Dir(product), "browser")
	driver, err := playwright.Run(&playwright.RunOptions{DriverDirectory: dir, SkipInstallBrowsers: true})
	if err != nil {
		return nil, err
	}
	browser, err := driver.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath: &chromium, ChromiumSandbox: playwright.Bool(os.Getuid() != 0),
		Args: []string{"--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"},
	})
	if err != nil {
		return nil, errors.Join(err, driver.Stop())
	}
	return &plainBrowser{driver, browser}, nil
}

func (p *plainBrowser) close() error { return errors.Join(p.browser.Close(), p.driver.Stop()) }

// views are those of a verification: every theme in every size.
var views = []struct {
	theme *playwright.ColorScheme
	size  playwright.Size
}{
	{playwright.ColorSchemeLight, playwright.Size{Width: 1280, Height: 800}},
	{playwright.ColorSchemeDark, playwright.Size{Width: 1280, Height: 800}},
	{playwright.ColorSchemeLight, playwright.Size{Width: 360, Height: 740}},
	{playwright.ColorSchemeDark, playwright.Size{Width: 360, Height: 740}},
}

// pictures takes a whole page in every view, one after the other.
func (p *plainBrowser) pictures(ctx context.Context, url string) (time.Duration, error) {
	began := time.Now()
	for _, view := range views {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		window, err := p.browser.NewContext(playwright.BrowserNewContextOptions{ColorScheme: view.theme, Viewport: &view.size})
		if err != nil {
			return 0, err
		}
		if err := errors.Join(picture(window, url), window.Close()); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

var gone = playwright.LocatorWaitForOptions{State: playwright.WaitForSelectorStateDetached}

func picture(window playwright.BrowserContext, url string) error {
	page, err := window.NewPage()
	if err != nil {
		return err
	}
	if _, err := page.Goto(url); err != nil {
		return err
	}
	// Before this, a picture shows a page that waits for what it is to show.
	if err := page.Locator("h1").First().WaitFor(); err != nil {
		return err
	}
	// Asked as a selector: our pages let nobody evaluate a string.
	if err := page.Locator(`[aria-busy="true"]`).First().WaitFor(gone); err != nil {
		return err
	}
	_, err = page.Screenshot(playwright.PageScreenshotOptions{FullPage: playwright.Bool(true)})
	return err
}
