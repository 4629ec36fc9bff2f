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

// well is a page with which nothing is wrong.
const well = `<header>Shop</header><nav><a href="/">Home</a></nav><main><h1>Mugs</h1><p>All of them.</p></main><footer>End</footer>`

// named is how the first site of a browser is called.
const named = "http://shop.invalid"

type pages map[string]http.HandlerFunc

// serve starts a website with a page for each path, and nothing else.
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

// html answers with a page. Its icon is empty, so that nobody asks for one.
func html(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<!doctype html><html lang="en"><title>Mugs</title><link rel="icon" href="data:,">` + body))
	}
}

// hang reports that it was asked, and never answers.
func hang(asked chan<- struct{}) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		<-r.Context().Done()
	}
}

// open makes a browser that may see the origins, and closes it after the test.
func open(t *testing.T, o Options, origins ...string) *Browser {
	t.Helper()
	allowed := egress.Options{MaxTotal: 60 << 20}
	for _, origin := range origins {
		allowed.Sites = append(allowed.Sites, egress.Site{Origin: origin})
	}
	if len(origins) > 0 { // the first has a name, too, that nobody can resolve
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

// processes are those of the browser, all of them; none when it does not run.
func processes(b *Browser) []member {
	r := current(b)
	if r == nil {
		return nil
	}
	return processTree(r.main)
}

// wide is a look in a wide, light window, without axe.
func wide(url string) verification.PageRequest {
	return verification.PageRequest{URL: url, View: verification.View{Theme: verification.Light, Viewport: verification.Wide}, Within: testwait.Limit}
}

// works reports that the browser still shows a page with which nothing is wrong.
func works(t *testing.T, b *Browser, origin string) {
	t.Helper()
	seen, err := b.Look(context.WithoutCancel(t.Context()), wide(origin+"/well"))
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
