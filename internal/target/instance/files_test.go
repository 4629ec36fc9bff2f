package instance_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
)

func TestWhatIsDeletedIsGoneAtOnceAndBackAtOnce(t *testing.T) {
	t.Parallel()
	for path, name := range map[string]string{
		"/og-image.png": target.FileOGImage, "/favicon.svg": target.FileFavicon, "/robots.txt": target.FileRobots,
		"/security.txt": target.FileSecurity, "/.well-known/security.txt": target.FileSecurity,
		"/site.webmanifest": target.FileManifest, "/style.css": target.FileStyle,
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			whole, err := os.ReadFile(r.live(name))
			require.NoError(t, err)
			status, body := r.get(t, path)
			require.Equal(t, http.StatusOK, status)
			require.Equal(t, string(whole), body)

			require.NoError(t, os.Remove(r.live(name)))
			status, _ = r.get(t, path)
			require.Equal(t, http.StatusNotFound, status)

			r.mend(t, name)
			status, _ = r.get(t, path)
			require.Equal(t, http.StatusOK, status)
		})
	}
}

func TestPagesNeedTheirTemplates(t *testing.T) {
	t.Parallel()
	type broken struct {
		remove string // under live
		path   string
		says   string
	}
	plain := "The cell is broken. This page cannot be made now."
	for name, tt := range map[string]broken{
		"without any template the error is plain":       {"templates", "/", plain},
		"without the layout too":                        {target.FileLayout, "/status", plain},
		"without its own template the error has a page": {target.FilePosts, "/posts", `data-cell="error"`},
		"without the settings the error is plain":       {target.FileSettings, "/", plain},
		"without the page of errors the error is plain": {target.FileErrorPage, "/nowhere", "There is no such page."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			require.NoError(t, os.RemoveAll(r.live(tt.remove)))
			status, body := r.get(t, tt.path)
			if tt.path == "/nowhere" {
				require.Equal(t, http.StatusNotFound, status)
			} else {
				require.Equal(t, http.StatusInternalServerError, status)
			}
			require.Contains(t, body, tt.says)
			status, _ = r.get(t, "/api/bot-status")
			require.Equal(t, http.StatusOK, status, "the API needs no template")

			for _, file := range target.Files() {
				r.mend(t, file)
			}
			status, _ = r.get(t, "/")
			require.Equal(t, http.StatusOK, status)
		})
	}
}

func TestAFileThatHoldsSomethingElseIsServedAsItIs(t *testing.T) {
	t.Parallel()
	r := start(t)
	require.NoError(t, os.WriteFile(r.live(target.FileRobots), []byte("anything"), 0o600))
	_, body := r.get(t, "/robots.txt")
	require.Equal(t, "anything", body)
	require.NoError(t, os.WriteFile(r.live(target.FileHome), []byte("{{"), 0o600))
	status, _ := r.get(t, "/")
	require.Equal(t, http.StatusInternalServerError, status)
}

func TestNoLinkLeadsOutOfTheFolder(t *testing.T) {
	t.Parallel()
	r := start(t)
	secret := filepath.Join(r.dir, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("a secret"), 0o600))
	for _, link := range []string{secret, "../../secret"} {
		require.NoError(t, os.Remove(r.live(target.FileRobots)))
		require.NoError(t, os.Symlink(link, r.live(target.FileRobots)))
		status, body := r.get(t, "/robots.txt")
		require.Equal(t, http.StatusInternalServerError, status)
		require.NotContains(t, body, "secret")
	}
}
