package api

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"customerzero/api/httpapi"
	"customerzero/internal/platform/testwait"
)

// Proves: V3.4.3
func TestAPageHasANumberOfItsOwnEachTime(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{pageLanding: {Data: []byte("<p>" + publicURLMark + " " + styleNonceMark + " and " + styleNonceMark + "</p>")}}
	s := &Server{UI: files, Deps: httpapi.Deps{Site: httpapi.Site{PublicURL: "https://example.com/?a&b"}}}
	router := gin.New()
	router.GET("/", func(c *gin.Context) { s.sendFile(c, pageLanding) })
	show := func(known string) *httptest.ResponseRecorder {
		shown := httptest.NewRecorder()
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		req.Header.Set("If-None-Match", known)
		router.ServeHTTP(shown, req)
		return shown
	}
	first, second := show(""), show("")
	require.Regexp(t, `^<p>https://example.com/\?a&amp;b ([A-Z0-9]{26}) and \w+</p>$`, first.Body.String())
	nonce := strings.Fields(first.Body.String())[1]
	require.Equal(t, 2, strings.Count(first.Body.String(), nonce), "in both places")
	require.Contains(t, first.Header().Get("Content-Security-Policy"), "style-src 'self' 'nonce-"+nonce+"'")
	require.NotContains(t, second.Body.String(), nonce, "every reply has a new nonce")
	require.Equal(t, first.Header().Get("ETag"), second.Header().Get("ETag"))

	known := show(first.Header().Get("ETag"))
	require.Equal(t, http.StatusNotModified, known.Code)
	require.Empty(t, known.Body.String())
	require.Empty(t, known.Header().Get("Content-Security-Policy"), "the policy of the cached page stays valid")
}

func TestPagesThatAreNotBuilt(t *testing.T) {
	t.Parallel()
	router := gin.New()
	router.NoRoute((&Server{UI: fstest.MapFS{}}).sendUI)
	rec := httptest.NewRecorder()
	router.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/docs", http.NoBody))
	require.Equal(t, []any{http.StatusServiceUnavailable, "no-store"}, []any{rec.Code, rec.Header().Get("Cache-Control")})
}

// TestEveryPageOfTheAppExists compares the server's list of pages with the app's routes.
func TestEveryPageOfTheAppExists(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../ui/src/routes.tsx")
	require.NoError(t, err)
	var pages []string
	for _, route := range regexp.MustCompile(`path: '([^'*]+)'`).FindAllStringSubmatch(string(file), -1) {
		pages = append(pages, regexp.MustCompile(`:\w+$`).ReplaceAllString(route[1], ""))
	}
	require.ElementsMatch(t, pages, slices.AppendSeq(slices.Clone(appPages), maps.Keys(pagesWithID)))
}

// Concurrent replies must not share buffers.
func TestConcurrentPagesDoNotMix(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("x", 5_000)
	s := &Server{UI: fstest.MapFS{pageLanding: {Data: []byte(styleNonceMark + filler + styleNonceMark)}}}
	router := gin.New()
	router.GET("/", func(c *gin.Context) { s.sendFile(c, pageLanding) })
	site := httptest.NewServer(router)
	defer site.Close()
	var readers errgroup.Group
	for range 8 {
		readers.Go(func() error {
			for range 100 {
				if nonce, last, whole := strings.Cut(front(t, site.URL), filler); !whole || nonce != last || nonce == "" {
					return fmt.Errorf("between %.30q and %.30q", nonce, last)
				}
			}
			return nil
		})
	}
	require.NoError(t, readers.Wait())
}

func front(t *testing.T, address string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	resp, err := testwait.Client.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(text)
}
