package api

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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
		asked := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		asked.Header.Set("If-None-Match", known)
		router.ServeHTTP(shown, asked)
		return shown
	}
	first, second := show(""), show("")
	require.Regexp(t, `^<p>https://example.com/\?a&amp;b ([A-Z0-9]{26}) and \w+</p>$`, first.Body.String())
	number := strings.Fields(first.Body.String())[1]
	require.Equal(t, 2, strings.Count(first.Body.String(), number), "in both places")
	require.Contains(t, first.Header().Get("Content-Security-Policy"), "style-src 'self' 'nonce-"+number+"'")
	require.NotContains(t, second.Body.String(), number, "each has a number of its own")
	require.Equal(t, first.Header().Get("ETag"), second.Header().Get("ETag"), "and says the same")

	known := show(first.Header().Get("ETag"))
	require.Equal(t, http.StatusNotModified, known.Code)
	require.Empty(t, known.Body.String())
	require.Empty(t, known.Header().Get("Content-Security-Policy"), "the one that the page came with holds")
}

// What one reader is sent must not run into what another is.
func TestPagesThatAreSentAtOnceStayWhole(t *testing.T) {
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
				if number, last, whole := strings.Cut(front(t, site.URL), filler); !whole || number != last || number == "" {
					return fmt.Errorf("between %.30q and %.30q", number, last)
				}
			}
			return nil
		})
	}
	require.NoError(t, readers.Wait())
}

func front(t *testing.T, address string) string {
	t.Helper()
	asked, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	answer, err := testwait.Client.Do(asked)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(text)
}
