package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/playwright-community/playwright-go"
)

// plainBrowser takes pictures with Playwright and nothing else: what a verification is measured
// against.
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
