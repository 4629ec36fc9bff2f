package browser

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/egress"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

var dark = verification.View{Theme: verification.Dark, Viewport: verification.Wide}

const colours = `<style>:root{color-scheme:light dark}body{margin:0;background:#fff}
@media (prefers-color-scheme: dark){body{background:#102030;color:#fff}}</style>`

func TestFactsOfAGoodPageAndABrokenOne(t *testing.T) {
	t.Parallel()
	received := make(chan http.Header, 2)
	origin := serve(t, pages{"/healthy": func(w http.ResponseWriter, r *http.Request) {
		received <- r.Header
		html(healthy)(w, r)
	}, "/broken": func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		html(healthy)(w, r)
	}})
	b := open(t, Options{}, origin)
	request := wide(origin + "/healthy?secret=1#part")
	request.Axe = true
	seen, err := b.Look(t.Context(), request)
	require.NoError(t, err)
	f := seen.Facts
	size := decode(t, seen.PNG).Bounds()
	require.Equal(t, []int{1280, 800}, []int{size.Dx(), size.Dy()})
	require.Positive(t, f.Bytes)
	require.Positive(t, f.LoadMS)
	require.Greater(t, f.TookMS, f.LoadMS)
	require.Regexp(t, `^Chromium \d+\.\d+\.\d+\.\d+$`, f.Browser)
	checked, err := b.Check(t.Context())
	require.NoError(t, err)
	require.Equal(t, checked, f.Browser)
	f.Bytes, f.LoadMS, f.TookMS, f.Browser = 0, 0, 0, ""
	require.Equal(t, verification.Facts{
		Status: 200, FinalURL: origin + "/healthy", Title: "Mugs", Landmarks: verification.Landmarks, Headings: 1,
		Axe: []verification.Violation{}, Text: "Shop\nHome\nMugs\n\nAll of them.\n\nEnd",
		Width: 1280, Height: 800, Requests: 1,
	}, f)
	headers := <-received
	require.Equal(t, []string{"1", "1"}, []string{headers.Get("Sec-GPC"), headers.Get("DNT")})
	require.Contains(t, headers.Get("User-Agent"), "Chrome/")
	require.True(t, strings.HasSuffix(headers.Get("User-Agent"), " CustomerZeroVerifier/1"))

	// The proxy resolves names; the browser itself resolves none.
	seen, err = b.Look(t.Context(), wide(named+"/healthy"))
	require.NoError(t, err)
	require.Equal(t, named+"/healthy", seen.Facts.FinalURL)
	require.Equal(t, verification.Landmarks, seen.Facts.Landmarks)

	// An error page is still a page.
	seen, err = b.Look(t.Context(), wide(origin+"/broken"))
	require.NoError(t, err)
	require.Equal(t, 500, seen.Facts.Status)
	require.Equal(t, []string{"GET /broken: 500"}, seen.Facts.Failed)
	require.NotEmpty(t, seen.PNG)
}

// Proves: F23
func TestFacts(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		page  string
		view  verification.View
		quick bool
		axe   bool
		is    func(*testing.T, verification.Capture)
	}{
		"an error on the console": {page: healthy + `<script>console.error("boom", 1); console.warn("no")</script>`, is: func(t *testing.T, s verification.Capture) {
			require.Equal(t, []string{"boom 1"}, s.Facts.Console)
		}},
		"an uncaught error": {page: healthy + `<script>setTimeout(() => { throw new Error("late") })</script>`, is: func(t *testing.T, s verification.Capture) {
			require.Equal(t, []string{"Uncaught: late"}, s.Facts.Console)
		}},
		"a script that is missing": {page: healthy + `<script src="/gone.js?secret=1"></script>`, is: func(t *testing.T, s verification.Capture) {
			require.Equal(t, []string{"GET /gone.js: 404"}, s.Facts.Failed)
			require.Contains(t, s.Facts.Console[0], "404 (Not Found): /gone.js")
			require.NotContains(t, strings.Join(s.Facts.Console, "\n"), "secret")
		}},
		"an icon that is missing is nothing": {page: healthy + `<link rel="icon" href="/favicon.ico"><img alt="" src="/favicon.ico">`, is: func(t *testing.T, s verification.Capture) {
			require.Empty(t, s.Facts.Failed)
			require.Empty(t, s.Facts.Console)
		}},
		"a picture from where nothing may come": {page: healthy + `<img alt="" src="http://10.0.0.1/a.png?secret=1">`, is: func(t *testing.T, s verification.Capture) {
			require.Equal(t, []string{"GET http://10.0.0.1/a.png: not allowed"}, s.Facts.Failed)
		}},
		"a socket to where nothing may go": {page: healthy + `<script>new WebSocket("wss://10.0.0.1/live")</script>`, is: func(t *testing.T, s verification.Capture) {
			require.Contains(t, strings.Join(s.Facts.Failed, "\n"), "10.0.0.1:443: not allowed")
		}},
		"landmarks that are missing or cannot be seen": {page: `<header>A</header><nav hidden>B</nav><div role="contentinfo">C</div><article><footer>D</footer></article>`, is: func(t *testing.T, s verification.Capture) {
			require.Equal(t, []string{"banner", "contentinfo"}, s.Facts.Landmarks)
			require.Zero(t, s.Facts.Headings)
		}},
		"landmarks by their roles": {page: `<div role="banner">A</div><div role="navigation">B</div><section role="main"><header>C</header></section><footer role="presentation">D</footer><h1 role="presentation">E</h1><p role="heading" aria-level="1">F</p>`, is: func(t *testing.T, s verification.Capture) {
			require.Equal(t, []string{"banner", "navigation", "main"}, s.Facts.Landmarks)
			require.Equal(t, 1, s.Facts.Headings)
		}},
		"landmarks that are there and cannot be seen": {page: `<div style="display:none"><header>A</header></div><div style="visibility:hidden"><nav>B</nav></div><main></main><div aria-hidden="true"><footer>D</footer></div>`, is: func(t *testing.T, s verification.Capture) {
			require.Empty(t, s.Facts.Landmarks)
		}},
		"two headings, and one that cannot be seen": {page: healthy + `<h1>Two</h1><h1 style="display:none">Three</h1>`, is: func(t *testing.T, s verification.Capture) {
			require.Equal(t, 2, s.Facts.Headings)
		}},
		"text that is too pale": {page: healthy + `<p style="color:#ccc">pale</p>`, axe: true, is: func(t *testing.T, s verification.Capture) {
			require.Len(t, s.Facts.Axe, 1)
			v := s.Facts.Axe[0]
			require.Equal(t, []any{"color-contrast", "serious", 1}, []any{v.Rule, v.Impact, v.Count})
			require.Equal(t, []string{"body > p"}, v.Targets)
		}},
		"parts that move": {page: `<body style="margin:0"><div style="height:900px"></div><i data-moving style="position:absolute;left:10.5px;top:20px;width:100px;height:30px"></i><time style="position:absolute;left:1200px;top:850px;width:200px;height:10px;overflow:hidden"></time>`, is: func(t *testing.T, s verification.Capture) {
			require.Equal(t, []verification.Rect{{X: 10, Y: 20, Width: 101, Height: 30}, {X: 1200, Y: 850, Width: 200, Height: 10}}, s.Facts.Masks)
			require.Equal(t, []int{1400, 900}, []int{s.Facts.Width, s.Facts.Height})
		}},
		"a light page": {page: colours + healthy, is: func(t *testing.T, s verification.Capture) {
			r, _, _, _ := decode(t, s.PNG).At(600, 700).RGBA()
			require.Equal(t, uint32(0xff), r>>8)
		}},
		"a dark page": {page: colours + healthy, view: dark, is: func(t *testing.T, s verification.Capture) {
			r, g, b, _ := decode(t, s.PNG).At(600, 700).RGBA()
			require.Equal(t, []uint32{0x10, 0x20, 0x30}, []uint32{r >> 8, g >> 8, b >> 8})
		}},
		"a narrow window": {page: healthy, view: verification.View{Theme: verification.Light, Viewport: verification.Narrow}, is: func(t *testing.T, s verification.Capture) {
			require.Equal(t, []int{360, 740}, []int{s.Facts.Width, s.Facts.Height})
		}},
		"a quick look": {page: `<body style="margin:0"><p style="height:3000px;color:#ccc">pale</p><script>scrollTo(0, 500)</script><time style="position:absolute;left:0;top:600px;width:50px;height:10px"></time>`, quick: true, axe: true, is: func(t *testing.T, s verification.Capture) {
			require.Nil(t, s.Facts.Axe)
			require.Empty(t, s.Facts.Text)
			require.Equal(t, []int{1280, 800}, []int{s.Facts.Width, s.Facts.Height})
			require.True(t, s.Facts.Cut)
			require.Equal(t, []verification.Rect{{X: 0, Y: 100, Width: 50, Height: 10}}, s.Facts.Masks)
		}},
		"what is fetched after the page has loaded": {page: healthy + `<script>onload = async () => { for (let i = 0; i < 80; i++) await fetch("/healthy", { cache: "no-store" }); document.querySelector("h1").innerHTML += "<time>now</time>" }</script>`, is: func(t *testing.T, s verification.Capture) {
			require.Len(t, s.Facts.Masks, 1)
			require.Equal(t, 81, s.Facts.Requests)
		}},
		"what comes while a part says that it is busy": {page: healthy + `<p aria-busy="true"></p><script>setTimeout(() => { document.querySelector("p[aria-busy]").outerHTML = "<time>now</time>" }, 1200)</script>`, is: func(t *testing.T, s verification.Capture) {
			require.Len(t, s.Facts.Masks, 1)
		}},
		"a part that is busy for ever": {page: healthy + `<p aria-busy="true"></p>`, is: func(t *testing.T, s verification.Capture) {
			require.Equal(t, verification.Landmarks, s.Facts.Landmarks)
		}},
		"long texts and many lines are cut": {page: `<script>document.title = "ä".repeat(1000)</script><p>` + strings.Repeat("ä", 5000) + `</p><script>for (let i = 0; i < 100; i++) console.error(i + "é".repeat(1000))</script>`, axe: true, is: func(t *testing.T, s verification.Capture) {
			require.Len(t, []rune(s.Facts.Title), 300)
			require.LessOrEqual(t, len(s.Facts.Text), 4096)
			require.Len(t, s.Facts.Console, 20)
			require.Len(t, []rune(s.Facts.Console[0]), 300)
		}},
		"a page that changed the language": {page: healthy + `<script>JSON.stringify = () => "{}"; Array.prototype.map = () => []; document.querySelectorAll = null</script><time>now</time>`, axe: true, is: func(t *testing.T, s verification.Capture) {
			require.Len(t, s.Facts.Masks, 1)
			require.Equal(t, verification.Landmarks, s.Facts.Landmarks)
			require.NotEmpty(t, s.Facts.Text)
		}},
		"a visit without axe": {page: healthy + `<p style="color:#ccc">pale</p>`, is: func(t *testing.T, s verification.Capture) {
			require.Nil(t, s.Facts.Axe, "nil means that axe did not run")
			require.NotEmpty(t, s.Facts.Text)
		}},
		"a policy against scripts is not in the way": {page: `<meta http-equiv="Content-Security-Policy" content="script-src 'none'">` + healthy + `<p style="color:#ccc">pale</p>`, axe: true, is: func(t *testing.T, s verification.Capture) {
			require.Len(t, s.Facts.Axe, 1)
		}},
	}
	site := pages{"/healthy": html(healthy)}
	for name, tt := range cases {
		site["/"+slug(name)] = html(tt.page)
	}
	origin := serve(t, site)
	b := open(t, Options{}, origin)
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := wide(origin + "/" + slug(name))
			request.Quick, request.Axe = tt.quick, tt.axe
			if tt.view != (verification.View{}) {
				request.View = tt.view
			}
			seen, err := b.Look(t.Context(), request)
			require.NoError(t, err)
			require.Equal(t, 200, seen.Facts.Status)
			tt.is(t, seen)
		})
	}
}

// TestOnlyAtANameOfThisMachineACertificateMayBeSelfMade covers single-machine deployments, whose reverse
// proxy signs its own certificate.
func TestOnlyAtANameOfThisMachineACertificateMayBeSelfMade(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(html(healthy))
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "https://")
	guard, err := egress.New(egress.Options{Sites: []egress.Site{
		{Origin: "https://localhost", Dial: address}, {Origin: "https://bot.example.com", Dial: address}, {Origin: "https://" + address},
	}})
	require.NoError(t, err)
	b := New(Options{Dir: modules, Guard: guard})
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	for _, origin := range []string{"https://localhost", "https://" + address} {
		seen, err := b.Look(t.Context(), wide(origin+"/"))
		require.NoError(t, err, origin)
		require.NotEmpty(t, seen.PNG)
	}
	_, err = b.Look(t.Context(), wide("https://bot.example.com/"))
	require.Equal(t, problem.PageUnreachable, problem.CodeOf(err), "%v", err)
}

func TestNamesOfThisMachine(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://localhost": true, "https://localhost:8443/a": true, "https://127.0.0.1:1": true, "https://[::1]/": true,
		"https://localhost.example.com": false, "https://bot.example.com": false, "https://10.0.0.1": false, "https://bot.example.com#localhost": false, "::": false,
	} {
		require.Equal(t, want, local(address), address)
	}
}

func TestCheckSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	driverOnly := t.TempDir()
	modules, err := filepath.Abs(modules)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(filepath.Join(modules, "package"), filepath.Join(driverOnly, "package")))
	fake := filepath.Join(empty, "chromium")
	require.NoError(t, os.WriteFile(fake, []byte("#!/bin/sh\nexit 1\n"), 0o700))
	cases := map[string]struct {
		o    Options
		says string
	}{
		"no Chromium":                    {Options{Chromium: "/deadProxy/chromium"}, "Chromium is missing: run make tools, or set CHROMIUM to where it is."},
		"a Chromium that does not start": {Options{Chromium: fake}, "Chromium does not start: run it by hand to see why, or set CHROMIUM to another one."},
		"a directory for Chromium":       {Options{Chromium: empty}, "Chromium is missing: run make tools, or set CHROMIUM to where it is."},
		"no driver":                      {Options{Dir: empty}, "The browser's driver is missing: run make build, or set BROWSER_DIR."},
		"no axe":                         {Options{Dir: driverOnly}, "The accessibility checker axe is missing: run make build, or set BROWSER_DIR."},
		"no Node":                        {Options{Node: "/deadProxy/node"}, "Node.js, which runs the browser's driver, is missing: install version 20 or newer, or set BROWSER_NODE."},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, tt.o)
			_, err := b.Check(t.Context())
			require.EqualError(t, err, tt.says)
			require.Equal(t, problem.BrowserMissing, problem.CodeOf(err))
			_, err = b.Look(t.Context(), wide("http://127.0.0.1:1234/"))
			if errors.Is(err, errStart) { // the first failure is retried
				_, err = b.Look(t.Context(), wide("http://127.0.0.1:1234/"))
			}
			require.Equal(t, problem.BrowserMissing, problem.CodeOf(err))
		})
	}
}

func TestWhatAppearsIsFound(t *testing.T) {
	t.Parallel()
	origin := serve(t, pages{"/healthy": html(healthy)})
	dir := t.TempDir()
	modules, err := filepath.Abs(modules)
	require.NoError(t, err)
	b := open(t, Options{Dir: dir, Chromium: filepath.Join(dir, "chromium")}, origin)
	for _, part := range []string{"package", "axe-core"} {
		_, err := b.Check(t.Context())
		require.Equal(t, problem.BrowserMissing, problem.CodeOf(err))
		require.NoError(t, os.Symlink(filepath.Join(modules, part), filepath.Join(dir, part)))
	}
	_, err = b.Look(t.Context(), wide(origin+"/healthy"))
	require.EqualError(t, err, "Chromium is missing: run make tools, or set CHROMIUM to where it is.")
	real := present(chromiums...)
	script := "#!/bin/sh\nexec " + real + ` "$@"` + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "chromium"), []byte(script), 0o700))
	version, err := b.Check(t.Context())
	require.NoError(t, err)
	require.Contains(t, version, "Chromium ")
	works(t, b, origin)
}

// TestAStartThatFailedIsTriedAgainLater checks that the first failure is retried at once, because the process
// may have been killed, and the second only after retryStartAfter.
func TestAStartThatFailedIsTriedAgainLater(t *testing.T) {
	t.Parallel()
	origin := serve(t, pages{"/healthy": html(healthy)})
	chromium := filepath.Join(t.TempDir(), "chromium")
	tries := filepath.Join(t.TempDir(), "tries")
	require.NoError(t, os.WriteFile(chromium, []byte("#!/bin/sh\necho x >> "+tries+"\nexit 1\n"), 0o700))
	b := open(t, Options{Chromium: chromium}, origin)
	_, first := b.Look(t.Context(), wide(origin+"/healthy"))
	require.ErrorIs(t, first, errStart)
	require.Equal(t, problem.Internal, problem.CodeOf(first), "the caller may retry")
	for range 2 {
		_, err := b.Look(t.Context(), wide(origin+"/healthy"))
		require.EqualError(t, err, "Chromium is installed but does not start: see the worker's log.")
	}
	tried, err := os.ReadFile(tries)
	require.NoError(t, err)
	require.Equal(t, "x\nx\n", string(tried))

	require.NoError(t, os.WriteFile(chromium, []byte("#!/bin/sh\nexec "+present(chromiums...)+` "$@"`+"\n"), 0o700))
	b.mu.Lock()
	b.failed.at = b.failed.at.Add(-retryStartAfter)
	b.mu.Unlock()
	works(t, b, origin)
}
