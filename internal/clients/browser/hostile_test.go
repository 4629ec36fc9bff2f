package browser

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
	"customerzero/internal/platform/testwait"
)

// flood sends size bytes.
func flood(size int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		chunk := make([]byte, 64<<10)
		for range size / len(chunk) {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}
}

// download is a response that browsers save instead of showing it.
func download(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Disposition", "attachment")
	_, _ = w.Write([]byte("file"))
}

func sendTo(where string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, where, http.StatusFound) }
}

// Proves: F23
func TestAPageThatLeadsToWhatIsNoPage(t *testing.T) {
	t.Parallel()
	origin := serve(t, pages{"/page": sendTo("/sandbox/mail"), "/sandbox/mail": html(healthy), "/healthy": html(healthy)})
	b := open(t, Options{IsPage: func(url string) bool { return verification.IsPage(url, []string{origin}) }}, origin)
	_, err := b.Look(t.Context(), wide(origin+"/page"))
	require.Equal(t, errNotAllowed, err)
	works(t, b, origin)
}

// Proves: F22, F23, V13.2.4
func TestHostilePages(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		page   http.HandlerFunc
		within time.Duration // 0: the default limit
		code   problem.Code  // empty: it is captured
		says   string
		is     func(*testing.T, verification.Facts)
	}{
		"an endless script": {page: html(`<script>while (true) {}</script>`), within: time.Second, code: problem.PageSlow, says: "The page took more than 1s."},
		"an endless script after it has loaded": {
			page: html(healthy + `<script>addEventListener("load", () => setTimeout(() => { while (true) {} }, 20))</script>`), within: 2 * time.Second, code: problem.PageSlow,
		},
		"dialogs": {page: html(healthy + `<script>alert(1); confirm(2); prompt(3); onbeforeunload = () => "stay"</script>`), is: func(t *testing.T, f verification.Facts) {
			require.Equal(t, []string{"A dialog was closed."}, f.Notes)
		}},
		"endless dialogs": {page: html(`<script>for (;;) alert(1)</script>`), within: time.Second, code: problem.PageSlow},
		"a download that begins by itself": {page: html(healthy + `<a id="a" download="x.bin" href="/file">x</a><script>document.getElementById("a").click()</script>`), is: func(t *testing.T, f verification.Facts) {
			require.Equal(t, []string{"A download was refused."}, f.Notes)
		}},
		"a download instead of a page": {page: download, code: problem.PageUnreachable, says: "The URL is a download, not a page."},
		"infinite scroll": {page: html(`<div id="end" style="height:900px">.</div><script>
			new IntersectionObserver(() => { for (let i = 0; i < 9; i++) document.body.append(document.getElementById("end").cloneNode(true)) }, { rootMargin: "9999px" }).observe(document.getElementById("end"))
			setInterval(() => document.body.append(document.getElementById("end").cloneNode(true)), 10)</script>`), is: func(t *testing.T, f verification.Facts) {
			require.LessOrEqual(t, f.Height, 6000)
			require.True(t, f.Cut)
		}},
		"a page of a million pixels": {page: html(`<div style="height:1000000px;width:1000000px">.</div>`), is: func(t *testing.T, f verification.Facts) {
			require.Equal(t, []int{2560, 6000}, []int{f.Width, f.Height})
			require.True(t, f.Cut)
		}},
		"endless redirects":            {page: sendTo("/endless-redirects"), code: problem.PageUnreachable, says: "The page redirects in a loop."},
		"a redirect to another place":  {page: sendTo("http://169.254.169.254/latest"), code: problem.PageUnreachable, says: "The page leads to an address that is not allowed."},
		"a redirect to TLS elsewhere":  {page: sendTo("https://10.0.0.1/"), code: problem.PageUnreachable, says: "The page leads to an address that is not allowed."},
		"a redirect to a file":         {page: sendTo("file:///etc/passwd"), code: problem.PageUnreachable},
		"a script that goes elsewhere": {page: html(`<script>location = "http://169.254.169.254/latest"</script>`), code: problem.PageUnreachable},
		"a response of 500 MB":         {page: flood(500 << 20), code: problem.PageHeavy, says: "The page exceeded its download limit."},
		"an answer that never comes":   {page: hang(nil), within: time.Second, code: problem.PageSlow},
		"a picture that never comes":   {page: html(healthy + `<img alt="" src="/never">`), within: time.Second, code: problem.PageSlow},
		"an answer that breaks off":    {page: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, code: problem.PageUnreachable},
		"a fetch that never ends":      {page: html(healthy + `<script>fetch("/never")</script>`), is: func(t *testing.T, f verification.Facts) { require.GreaterOrEqual(t, f.TookMS, 2000) }},
		"second windows":               {page: html(healthy + `<script>for (let i = 0; i < 3; i++) open("/healthy", "", "noopener")</script>`), is: func(t *testing.T, f verification.Facts) { require.Contains(t, f.Notes, "A second window was closed.") }},
		"it goes from page to page":    {page: html(`<script>setTimeout(() => location.reload(), 10)</script>` + healthy), within: 6 * time.Second, code: "either"},
		"it takes itself away":         {page: html(healthy + `<script>addEventListener("load", () => document.documentElement.remove())</script>`), within: 6 * time.Second, code: "either"},
		"a frame from another place": {page: html(healthy + `<iframe title="x" src="http://10.0.0.1/"></iframe>`), is: func(t *testing.T, f verification.Facts) {
			require.Contains(t, f.Failed, "GET http://10.0.0.1/: not allowed")
		}},
		"very many elements":       {page: html(healthy + `<script>document.querySelector("main").innerHTML += "<time>x</time>".repeat(3000)</script>`), within: 15 * time.Second, code: "either"},
		"a worker that never ends": {page: html(healthy + `<script>new Worker(URL.createObjectURL(new Blob(["for(;;){}"])))</script>`), is: func(*testing.T, verification.Facts) {}},
		"requests for permissions": {page: html(healthy + `<script>navigator.geolocation.getCurrentPosition(() => document.title = "here"); Notification.requestPermission(); navigator.serviceWorker?.register("/sw.js").catch(() => {})</script>`), is: func(t *testing.T, f verification.Facts) { require.Equal(t, "Mugs", f.Title) }},
	}
	site := pages{"/healthy": html(healthy), "/never": hang(nil), "/file": download}
	for name, tt := range cases {
		site["/"+slug(name)] = tt.page
	}
	origin := serve(t, site)
	b := open(t, Options{Jobs: 3}, origin)
	t.Cleanup(func() { works(t, b, origin) })
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := wide(origin + "/" + slug(name))
			request.Axe = true
			if tt.within > 0 {
				request.Within = tt.within
			}
			seen, err := b.Look(t.Context(), request)
			switch tt.code {
			case "":
				require.NoError(t, err)
				decode(t, seen.PNG)
				tt.is(t, seen.Facts)
			case "either":
				if err != nil {
					require.NotEqual(t, problem.Internal, problem.CodeOf(err), "%v", err)
				}
			default:
				require.Error(t, err)
				require.Equal(t, tt.code, problem.CodeOf(err), "%v", err)
				require.NotContains(t, err.Error(), origin)
				if tt.says != "" {
					require.Equal(t, tt.says, err.Error())
				}
			}
		})
	}
}

// Proves: F22, F23
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	origin := serve(t, pages{})
	closed := fmt.Sprintf("http://127.0.0.1:%d", 61997)
	b := open(t, Options{}, origin, closed)
	_, err := b.Look(t.Context(), wide(closed+"/"))
	require.Equal(t, problem.PageUnreachable, problem.CodeOf(err))
	require.EqualError(t, err, "The page could not be reached: the site did not respond.")
	_, err = b.Look(t.Context(), wide("http://127.0.0.1:61996/"))
	require.EqualError(t, err, "The page leads to an address that is not allowed.")
	_, err = b.Look(t.Context(), wide("file:///etc/passwd"))
	require.Equal(t, problem.PageUnreachable, problem.CodeOf(err), "%v", err)
}

// trap is a TCP and UDP port on this machine that no page may reach, such as a database's.
type trap struct {
	address string
	hits    atomic.Int64
}

func newTrap(t *testing.T, host string) *trap {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(host, "0"))
	require.NoError(t, err)
	caught := &trap{address: listener.Addr().String()}
	packets, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", caught.address)
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = listener.Close(), packets.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			caught.hits.Add(1)
			_ = conn.Close()
		}
	}()
	go func() {
		for packet := make([]byte, 1500); ; {
			if _, _, err := packets.ReadFrom(packet); err != nil {
				return
			}
			caught.hits.Add(1)
		}
	}()
	return caught
}

// works checks that the trap counts connections and packets, and resets its count.
func (c *trap) works(t *testing.T) {
	t.Helper()
	for _, network := range []string{"tcp", "udp"} {
		before := c.hits.Load()
		conn, err := (&net.Dialer{}).DialContext(t.Context(), network, c.address)
		require.NoError(t, err)
		_, _ = io.WriteString(conn, "hello")
		require.NoError(t, conn.Close())
		require.Eventually(t, func() bool { return c.hits.Load() > before }, testwait.Limit, time.Millisecond, network)
	}
	c.hits.Store(0)
}

// alone lists the ways that would interfere with others on the same page.
var alone = []string{"a report", "a form in a frame", "a window"}

// together groups the other ways on a few pages, because each page takes seconds.
func together() (groups [][]string) {
	for _, way := range slices.Sorted(maps.Keys(ways)) {
		last := len(groups) - 1
		switch {
		case slices.Contains(alone, way):
			groups = slices.Insert(groups, 0, []string{way})
		case last < 0 || len(groups[last]) == 6 || slices.Contains(alone, groups[last][0]):
			groups = append(groups, []string{way})
		default:
			groups[last] = append(groups[last], way)
		}
	}
	return groups
}

// ways lists how a page can send a request without a user's action. HOST is the trap.
var ways = map[string]string{
	"a fetch":              `<script>fetch("http://HOST/", { mode: "no-cors" }).catch(() => {})</script>`,
	"a fetch over TLS":     `<script>fetch("https://HOST/", { mode: "no-cors" }).catch(() => {})</script>`,
	"a request":            `<script>const r = new XMLHttpRequest(); r.open("POST", "http://HOST/"); r.send("x")</script>`,
	"a socket":             `<script>new WebSocket("ws://HOST/"); new WebSocket("wss://HOST/")</script>`,
	"a stream of events":   `<script>new EventSource("http://HOST/")</script>`,
	"a beacon":             `<script>navigator.sendBeacon("http://HOST/", "x"); addEventListener("pagehide", () => navigator.sendBeacon("http://HOST/", "y"))</script>`,
	"a call that outlives": `<script>fetch("http://HOST/", { keepalive: true, method: "POST", body: "x", mode: "no-cors" }).catch(() => {})</script>`,
	"WebTransport":         `<script>try { new WebTransport("https://HOST/").ready.catch(() => {}) } catch {}</script>`,
	"WebRTC by STUN":       webRTC(`stun:HOST`),
	"WebRTC by TURN":       webRTC(`turn:HOST?transport=udp`),
	"WebRTC by TURN, TCP":  webRTC(`turn:HOST?transport=tcp`),
	"WebRTC by TURN, TLS":  webRTC(`turns:HOST?transport=tcp`),
	"hints":                `<link rel="preconnect" href="http://HOST"><link rel="dns-prefetch" href="//HOST"><link rel="prefetch" href="http://HOST/a"><link rel="preload" as="image" href="http://HOST/b"><link rel="modulepreload" href="http://HOST/c"><link rel="prerender" href="http://HOST/d">`,
	"speculation":          `<script type="speculationrules">{"prefetch":[{"source":"list","urls":["http://HOST/"]}],"prerender":[{"source":"list","urls":["http://HOST/e"]}]}</script>`,
	"pictures and sounds":  `<img alt="" src="http://HOST/"><picture><source srcset="http://HOST/a 2x"><img alt=""></picture><video src="http://HOST/b" autoplay></video><audio src="http://HOST/c" autoplay></audio><svg><image href="http://HOST/d"/><use href="http://HOST/e#f"/></svg><input type="image" alt="" src="http://HOST/g">`,
	"styles and emails":    `<style>@import "http://HOST/a"; @font-face { font-family: f; src: url(http://HOST/b) } body { font-family: f; background: url(http://HOST/c); cursor: url(http://HOST/d), auto } li { list-style-image: url(http://HOST/e) }</style><ul><li>x</ul>`,
	"frames and objects":   `<iframe title="a" src="http://HOST/"></iframe><object data="http://HOST/a"></object><embed src="http://HOST/b"><iframe title="b" srcdoc="<img src='http://HOST/c'>"></iframe><iframe title="c" src="data:text/html,<script>fetch('http://HOST/d',{mode:'no-cors'})</script>"></iframe>`,
	"scripts and workers":  `<script src="http://HOST/"></script><script type="module">import("http://HOST/a").catch(() => {})</script><script>new Worker(URL.createObjectURL(new Blob(["fetch('http://HOST/b',{mode:'no-cors'});importScripts('http://HOST/c')"]))); try { new SharedWorker(URL.createObjectURL(new Blob(["fetch('http://HOST/d',{mode:'no-cors'})"]))) } catch {}</script>`,
	"a form in a frame":    `<iframe title="d" name="f"></iframe><form method="post" action="http://HOST/" target="f"></form><script>document.forms[0].submit()</script>`,
	"a ping":               `<a id="p" ping="http://HOST/" href="#x">x</a><script>document.getElementById("p").click()</script>`,
	"a report":             `<meta http-equiv="Content-Security-Policy" content="img-src 'none'; report-uri http://HOST/"><img alt="" src="/x">`,
	"a service worker":     `<script>navigator.serviceWorker?.register("/sw.js").catch(() => {})</script>`,
	"a manifest":           `<link rel="manifest" href="http://HOST/"><link rel="icon" href="http://HOST/a"><link rel="apple-touch-icon" href="http://HOST/b">`,
	"a window":             `<script>open("http://HOST/"); open("view-source:http://HOST/"); open("chrome://version")</script>`,
}

func webRTC(server string) string {
	return `<script>(async () => { const c = new RTCPeerConnection({ iceServers: [{ urls: "` + server + `", username: "u", credential: "c" }] })
		c.createDataChannel("x"); await c.setLocalDescription(await c.createOffer())
		document.body.setAttribute("aria-busy", "true"); setTimeout(() => document.body.removeAttribute("aria-busy"), 1500) })().catch(() => {})</script>`
}

// TestNothingLeavesByAnotherWay checks that no page reaches anything but its own site, on any port of this
// machine.
// Proves: F23
func TestNothingLeavesByAnotherWay(t *testing.T) {
	t.Parallel()
	traps := []*trap{newTrap(t, "127.0.0.1"), newTrap(t, "127.0.0.2"), newTrap(t, "::1")}
	site := pages{"/healthy": html(healthy)}
	for _, group := range together() {
		var all strings.Builder
		for _, name := range group {
			for _, caught := range traps {
				all.WriteString(strings.ReplaceAll(ways[name], "HOST", caught.address))
			}
			_, port, _ := net.SplitHostPort(traps[0].address)
			for _, host := range []string{"localhost", "2130706433", "0x7f.1", "0", "trap.localhost", "[::ffff:127.0.0.1]"} {
				all.WriteString(strings.ReplaceAll(ways[name], "HOST", fmt.Sprint(host, ":", port)))
			}
		}
		site["/"+slug(group[0])] = html(healthy + all.String())
	}
	origin := serve(t, site)
	b := open(t, Options{Jobs: 3}, origin)
	for _, caught := range traps {
		caught.works(t)
	}
	t.Run("each of them", func(t *testing.T) {
		for _, group := range together() {
			t.Run(strings.Join(group, ", "), func(t *testing.T) {
				t.Parallel()
				_, err := b.Look(t.Context(), wide(origin+"/"+slug(group[0])))
				require.NoError(t, err)
			})
		}
	})
	for _, address := range []string{"data:text/html,<script>fetch('http://HOST/')</script>", "view-source:http://HOST/", "http://HOST/", "chrome://version", "file:///etc/passwd", "javascript:fetch('http://HOST/')", "blob:http://HOST/x", "about:blank"} {
		_, err := b.Look(context.WithoutCancel(t.Context()), wide(strings.ReplaceAll(address, "HOST", traps[0].address)))
		require.Error(t, err, address)
	}
	works(t, b, origin)
	for _, caught := range traps {
		require.Zero(t, caught.hits.Load(), "a connection reached %s", caught.address)
	}
}
