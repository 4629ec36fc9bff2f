package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

// noPictures is a book whose files cannot be read.
type noPictures struct{}

func (noPictures) Get(context.Context, string) ([]byte, error) {
	return nil, context.DeadlineExceeded
}

const pictures = "/api/verification/pictures/"

// fetch asks for a picture as a visitor.
func (w *world) fetch(t *testing.T, name string, header map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	return w.do(t, call{method: http.MethodGet, path: pictures + name, key: "none", header: header})
}

func TestAPictureIsKeptForEver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	content := "\x89PNG\r\n" + strings.Repeat("a picture ", 500)
	key := w.picture(t, content)
	rec := w.fetch(t, key+".png", map[string]string{"Accept-Encoding": "gzip"})
	require.Equal(t, http.StatusOK, rec.Code, rec.Body.String())
	require.Equal(t, content, rec.Body.String())
	for name, value := range map[string]string{
		"Content-Type": "image/png", "ETag": `"` + key + `"`, "Cache-Control": "public, max-age=31536000, immutable",
		"X-Content-Type-Options": "nosniff", "Content-Encoding": "", "Set-Cookie": "",
	} {
		require.Equal(t, value, rec.Header().Get(name), name)
	}
}

func TestAPictureThatIsKnownIsNotSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := w.picture(t, "a picture")
	for header, status := range map[string]int{
		`"` + key + `"`:                     http.StatusNotModified,
		`W/"` + key + `"`:                   http.StatusNotModified,
		`"other", W/"more",  "` + key + `"`: http.StatusNotModified,
		`*`:                                 http.StatusNotModified,
		`"other"`:                           http.StatusOK,
		key:                                 http.StatusOK,
		`"` + key[:63] + `"`:                http.StatusOK,
		"":                                  http.StatusOK,
	} {
		rec := w.fetch(t, key+".png", map[string]string{"If-None-Match": header})
		require.Equal(t, status, rec.Code, "%s: %s", header, rec.Body)
		require.Equal(t, `"`+key+`"`, rec.Header().Get("ETag"))
		require.Equal(t, "public, max-age=31536000, immutable", rec.Header().Get("Cache-Control"))
		if status == http.StatusNotModified {
			require.Empty(t, rec.Body.String())
		}
	}
	gone := strings.Repeat("0", 64)
	require.Equal(t, http.StatusNotFound, w.fetch(t, gone+".png", map[string]string{"If-None-Match": `"` + gone + `"`}).Code)
}

// An answer to somebody who is known may renew their cookie: nobody may keep it.
func TestAPictureForSomebodyWhoIsKnownIsKeptByNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := w.picture(t, "a picture")
	require.Equal(t, "no-store", w.do(t, call{method: http.MethodGet, path: pictures + key + ".png"}).Header().Get("Cache-Control"))
	ada, _ := w.join(t, "ada")
	b := w.browserWith(w.login(t, ada, ""))
	w.now = now.Add(account.SlideEvery + time.Hour)
	rec := b.get(t, pictures+key+".png")
	require.Equal(t, http.StatusOK, rec.Code)
	require.NotEmpty(t, rec.Header().Get("Set-Cookie"))
	require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
}

func TestPicturesThatAreNoneAreNotFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := w.picture(t, "a picture")
	other := "1"
	if strings.HasPrefix(key, other) {
		other = "2"
	}
	for _, name := range []string{
		key, key + ".PNG", key + ".png.png", key + ".jpg", key + ".png%00", key + "%0a.png", "%20" + key + ".png",
		strings.ToUpper(key) + ".png", other + key[1:] + ".png", key[1:] + ".png", "g" + key[1:] + ".png",
		".png", "..", "..%2f" + key + ".png", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", key[:2] + "/" + key + ".png",
	} {
		rec := w.fetch(t, name, nil)
		require.Equal(t, http.StatusNotFound, rec.Code, "%s: %s", name, rec.Body)
		require.NotContains(t, rec.Header().Get("Cache-Control"), "public", name)
	}
	require.Equal(t, problem.NotFound, problemOf(t, w.fetch(t, key+".jpg", nil)).Code)
	require.Equal(t, http.StatusUnprocessableEntity, w.fetch(t, strings.Repeat("a", 81), nil).Code)
}
