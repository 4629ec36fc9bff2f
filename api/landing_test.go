package api_test

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
	"customerzero/internal/target/golden"
)

func TestThePagesKnowTheirAbsoluteAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Site.PublicURL = `https://zero.example/"><script>`
	for path, said := range map[string]string{
		"/":                `content="https://zero.example/&#34;&gt;&lt;script&gt;/og-image.png"`,
		"/dashboard":       `content="https://zero.example/&#34;&gt;&lt;script&gt;/og-image.png"`,
		"/color-scheme.js": "__PUBLIC_URL__", // no page
	} {
		body := w.do(t, call{method: http.MethodGet, path: path, key: "none"}).Body.String()
		require.Contains(t, body, said, path)
		require.NotContains(t, body, "<script>", path)
	}
}

func TestThePreviewPictureIsTheOneThatTheCellKeeps(t *testing.T) {
	t.Parallel()
	kept, err := fs.ReadFile(golden.FS, target.FileOGImage)
	require.NoError(t, err)
	rec := newWorld(t).do(t, call{method: http.MethodGet, path: "/og-image.png", key: "none"})
	require.Equal(t, http.StatusOK, rec.Code)
	require.Equal(t, "image/png", rec.Header().Get("Content-Type"))
	require.Equal(t, kept, rec.Body.Bytes())
}

func TestTheFrontDoorTakesNoWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, http.StatusOK, w.do(t, call{method: http.MethodHead, path: "/", key: "none"}).Code)
	require.Equal(t, http.StatusNotFound, w.do(t, call{method: http.MethodPost, path: "/", key: "none"}).Code)
}

func TestAProductWithoutPagesSaysSoAtTheFrontDoor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.UI = fstest.MapFS{}
	rec := w.do(t, call{method: http.MethodGet, path: "/", key: "none"})
	require.Equal(t, http.StatusServiceUnavailable, rec.Code)
	require.Contains(t, rec.Body.String(), "make up")
}

func TestWhatThePagesAreMadeOfIsCompressed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("a page, a script, a style, a drawing. ", 100)
	w.server.UI = fstest.MapFS{
		"landing.html": {Data: []byte(long)}, "index.html": {Data: []byte(long)}, "assets/a.js": {Data: []byte(long)},
		"assets/a.css": {Data: []byte(long)}, "favicon.svg": {Data: []byte(long)},
	}
	for _, path := range []string{"/", "/dashboard", "/assets/a.js", "/assets/a.css", "/favicon.svg"} {
		rec := w.do(t, call{method: http.MethodGet, path: path, key: "none", header: map[string]string{"Accept-Encoding": "gzip"}})
		require.Equal(t, "gzip", rec.Header().Get("Content-Encoding"), path)
		require.Less(t, rec.Body.Len(), len(long)/10, path)
		plain, err := gzip.NewReader(rec.Body)
		require.NoError(t, err)
		text, err := io.ReadAll(plain)
		require.NoError(t, err)
		require.Equal(t, long, string(text))
	}
}
