package browser

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

// trap is a port on this machine that no page may reach, for connections and for packets: what a
// database, an admin's page or the rest of the network would be.
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

// works says that the trap would notice: somebody who does come is counted, and taken off again.
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

// alone are ways that would be in the way of others on the same page.
var alone = []string{"a report", "a form in a frame", "a window"}

// together puts the other ways on a few pages: what costs time is a page, and not a way.
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

// ways are all by which a page could ask for something, without being asked. HOST is the trap.
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
	"styles and letters":   `<style>@import "http://HOST/a"; @font-face { font-family: f; src: url(http://HOST/b) } body { font-family: f; background: url(http://HOST/c); cursor: url(http://HOST/d), auto } li { list-style-image: url(http://HOST/e) }</style><ul><li>x</ul>`,
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

// A page that somebody else wrote is looked at on a machine with databases and keys. Whatever it
// tries, nothing but its own site hears of it.
// Proves: F23
func TestNothingLeavesByAnotherWay(t *testing.T) {
	t.Parallel()
	traps := []*trap{newTrap(t, "127.0.0.1"), newTrap(t, "127.0.0.2"), newTrap(t, "::1")}
	site := pages{"/well": html(well)}
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
		site["/"+slug(group[0])] = html(well + all.String())
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
				require.NoError(t, err, "it is looked at all the same")
			})
		}
	})
	for _, address := range []string{"data:text/html,<script>fetch('http://HOST/')</script>", "view-source:http://HOST/", "http://HOST/", "chrome://version", "file:///etc/passwd", "javascript:fetch('http://HOST/')", "blob:http://HOST/x", "about:blank"} {
		_, err := b.Look(context.WithoutCancel(t.Context()), wide(strings.ReplaceAll(address, "HOST", traps[0].address)))
		require.Error(t, err, address)
	}
	works(t, b, origin)
	for _, caught := range traps {
		require.Zero(t, caught.hits.Load(), "somebody came to %s", caught.address)
	}
}
