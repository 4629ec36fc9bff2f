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
	verificationRounds = 8
	verificationTarget = 1.3 // of the time of plain screenshots of the same page
	memoryGrowth       = 1.1 // of the browser's memory from the first verification to the last
)

// verificationTimes are the durations of verifications and of plain screenshots of the same page.
type verificationTimes struct {
	ours, plain   []time.Duration
	before, after int // the browser's memory (PSS), kB
}

// verifications measures verifications of a fresh product's front page in turns with plain Playwright.
func (b *bench) verifications(ctx context.Context) ([]figure, error) {
	var l verificationTimes
	err := b.onFresh(ctx, func(up *upProduct) (err error) {
		l, err = b.compareVerifications(ctx, up)
		return err
	})
	if err != nil {
		return nil, err
	}
	return l.figures(), nil
}

func (b *bench) compareVerifications(ctx context.Context, up *upProduct) (l verificationTimes, err error) {
	plain, err := startPlain(b.product)
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, plain.close()) }()
	for round := range verificationRounds + 1 { // the first is a warm-up
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
		return 0, fmt.Errorf("a verification failed: stage %s, code %q, %d screenshots", seen.Stage, seen.Code, len(seen.Shots))
	}
	return took, nil
}

// browserMemory is the PSS of all processes of the product's browser, in kB.
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

// figures compare means, not medians, so that a single slow screenshot counts.
func (l verificationTimes) figures() []figure {
	mean := func(times []time.Duration) float64 { return inMS(sum(times)) / float64(len(times)) }
	return []figure{
		{"Verifications", "four screenshots of the front page", "ms", mean(l.plain), "plain Playwright", mean(l.ours), atMost(verificationTarget)},
		{
			"Verifications", fmt.Sprintf("the browser's memory (PSS) after %d more", len(l.ours)), "MB",
			inMB(l.before), "after the first one", inMB(l.after), atMost(memoryGrowth),
		},
	}
}

// plainBrowser takes screenshots with Playwright. It is the baseline of a verification.
type plainBrowser struct {
	driver  *playwright.Playwright
	browser playwright.Browser
}

// chromiums are the paths of Debian's browsers, in the product's order.
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

// views are the viewports of a verification: every theme in every size.
var views = []struct {
	theme *playwright.ColorScheme
	size  playwright.Size
}{
	{playwright.ColorSchemeLight, playwright.Size{Width: 1280, Height: 800}},
	{playwright.ColorSchemeDark, playwright.Size{Width: 1280, Height: 800}},
	{playwright.ColorSchemeLight, playwright.Size{Width: 360, Height: 740}},
	{playwright.ColorSchemeDark, playwright.Size{Width: 360, Height: 740}},
}

// pictures takes full-page screenshots in every viewport, one after the other.
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
	// Before this, the page is still loading its data.
	if err := page.Locator("h1").First().WaitFor(); err != nil {
		return err
	}
	// A selector is used because our content security policy forbids evaluating strings.
	if err := page.Locator(`[aria-busy="true"]`).First().WaitFor(gone); err != nil {
		return err
	}
	_, err = page.Screenshot(playwright.PageScreenshotOptions{FullPage: playwright.Bool(true)})
	return err
}
