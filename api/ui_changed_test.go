package api

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"
)

func TestAPageIsShownAsItsFileIsNow(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{pageLanding: {Data: []byte("<p>" + publicURLMark + " " + styleNonceMark + " and " + styleNonceMark + "</p>")}}
	s := &Server{UI: files, Site: Site{PublicURL: "https://example.com/?a&b"}}
	router := gin.New()
	router.GET("/", func(c *gin.Context) { s.sendFile(c, pageLanding) })
	show := func() *httptest.ResponseRecorder {
		shown := httptest.NewRecorder()
		router.ServeHTTP(shown, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
		return shown
	}
	first, second := show(), show()
	require.Regexp(t, `^<p>https://example.com/\?a&amp;b (\w+) and \w+</p>$`, first.Body.String())
	require.NotEqual(t, first.Body.String(), second.Body.String(), "each has a number of its own")
	require.Equal(t, first.Header().Get("ETag"), second.Header().Get("ETag"), "and says the same")

	files[pageLanding] = &fstest.MapFile{Data: []byte("<p>broken</p>")}
	broken := show()
	require.Equal(t, "<p>broken</p>", broken.Body.String())
	require.NotEqual(t, first.Header().Get("ETag"), broken.Header().Get("ETag"))
}
