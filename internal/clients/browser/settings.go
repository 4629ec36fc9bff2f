package browser

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/playwright-community/playwright-go"

	"customerzero/internal/domain/verification"
)

// nowhere is a proxy that nobody serves: only what has a gate gets out.
const nowhere = "http://127.0.0.1:9"

// mark is on the command line of the browser's first process, and tells it from all others.
func mark(dir string) string { return "--customerzero=" + filepath.Base(dir) }

// launch says how the browser is started. Its environment is bare: ours holds secrets.
func launch(path, dir string) playwright.BrowserTypeLaunchOptions {
	never := playwright.Bool(false)
	return playwright.BrowserTypeLaunchOptions{
		ExecutablePath:  &path,
		ChromiumSandbox: playwright.Bool(os.Geteuid() != 0), // root has none
		Env:             map[string]string{"PATH": "/usr/bin:/bin", "HOME": dir, "LANG": "C.UTF-8", "TZ": "UTC"},
		Proxy:           &playwright.Proxy{Server: nowhere},
		Timeout:         playwright.Float(float64(startTime.Milliseconds()) / 2),
		HandleSIGINT:    never, HandleSIGTERM: never, HandleSIGHUP: never,
		Args: []string{
			mark(dir),
			"--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--disable-breakpad",
			// Without these, WebRTC and the resolver would pass by the proxy.
			"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
			"--webrtc-ip-handling-policy=disable_non_proxied_udp",
			"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
			"--js-flags=--max-old-space-size=512",
		},
	}
}

// settings are those of a context: nothing is remembered, granted, downloaded or moving.
func (r *running) settings(proxy string, l verification.Look) playwright.BrowserNewContextOptions {
	v, scheme := l.View, playwright.ColorSchemeLight
	if v.Theme == verification.Dark {
		scheme = playwright.ColorSchemeDark
	}
	return playwright.BrowserNewContextOptions{
		// Without the bypass list, loopback would be reached directly.
		Proxy:             &playwright.Proxy{Server: "http://" + proxy, Bypass: playwright.String("<-loopback>")},
		IgnoreHttpsErrors: playwright.Bool(local(l.URL)),
		AcceptDownloads:   playwright.Bool(false),
		ServiceWorkers:    playwright.ServiceWorkerPolicyBlock,
		Permissions:       []string{},
		Locale:            playwright.String("en-US"),
		TimezoneId:        playwright.String("UTC"),
		Viewport:          &playwright.Size{Width: v.Viewport.Width, Height: v.Viewport.Height},
		DeviceScaleFactor: playwright.Float(1),
		ReducedMotion:     playwright.ReducedMotionReduce,
		ColorScheme:       scheme,
		UserAgent:         playwright.String(strings.TrimSpace(r.agent)),
		ExtraHttpHeaders:  map[string]string{"Sec-GPC": "1", "DNT": "1"},
	}
}
