package browser

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/egress"
	"customerzero/internal/domain/verification"
	"customerzero/internal/platform/testwait"
)

func TestMain(m *testing.M) {
	grace, startTime, noticed, settled = testwait.Limit/6, testwait.Limit, testwait.Limit/6, testwait.Limit/6
	testwait.Main(m, "4")
}

const modules = "../../../ui/node_modules"

// healthy is a healthy page.
const healthy = `<header>Shop</header><nav><a href="/">Home</a></nav><main><h1>Mugs</h1><p>All of them.</p></main><footer>End</footer>`

// named is the name of a browser's first site.
const named = "http://shop.invalid"

type pages map[string]http.HandlerFunc

// serve starts a website with these pages.
func serve(t *testing.T, p pages) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if page := p[r.URL.Path]; page != nil {
			page(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// html serves a page. Its icon is empty, so that the browser requests none.
func html(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<!doctype html><html lang="en"><title>Mugs</title><link rel="icon" href="data:,">` + body))
	}
}

// hang signals a request and never responds.
func hang(requested chan<- struct{}) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		select {
		case requested <- struct{}{}:
		default:
		}
		<-r.Context().Done()
	}
}

// open returns a browser that may visit the origins.
func open(t *testing.T, o Options, origins ...string) *Browser {
	t.Helper()
	allowed := egress.Options{MaxTotal: 60 << 20}
	for _, origin := range origins {
		allowed.Sites = append(allowed.Sites, egress.Site{Origin: origin})
	}
	if len(origins) > 0 { // the first one also has a name that does not resolve
		allowed.Sites = append(allowed.Sites, egress.Site{Origin: named, Dial: strings.TrimPrefix(origins[0], "http://")})
	}
	guard, err := egress.New(allowed)
	require.NoError(t, err)
	o.Guard = guard
	if o.Dir == "" {
		o.Dir = modules
	}
	b := New(o)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// processes returns all processes of the browser, or none if it is not running.
func processes(b *Browser) []member {
	r := current(b)
	if r == nil {
		return nil
	}
	return processTree(r.main)
}

// wide requests a page in a wide, light window, without axe.
func wide(url string) verification.PageRequest {
	return verification.PageRequest{URL: url, View: verification.View{Theme: verification.Light, Viewport: verification.Wide}, Within: testwait.Limit}
}

// works checks that the browser still captures a healthy page.
func works(t *testing.T, b *Browser, origin string) {
	t.Helper()
	seen, err := b.Look(context.WithoutCancel(t.Context()), wide(origin+"/healthy"))
	require.NoError(t, err)
	require.Equal(t, 200, seen.Facts.Status)
	require.Equal(t, verification.Landmarks, seen.Facts.Landmarks)
}

func decode(t *testing.T, picture []byte) image.Image {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(picture))
	require.NoError(t, err)
	return decoded
}

func slug(name string) string { return strings.ReplaceAll(name, " ", "-") }
