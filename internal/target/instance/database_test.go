package instance_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/testwait"
)

// damage overwrites a part of a file.
func damage(t *testing.T, path string, from, size int) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteAt(bytes.Repeat([]byte{0xA5}, size), int64(from))
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

func TestDamageOfTheDatabaseIsNoticedByThosePagesThatReadIt(t *testing.T) {
	t.Parallel()
	for name, hurt := range map[string]func(t *testing.T, path string){
		"its header":           func(t *testing.T, path string) { damage(t, path, 0, 100) },
		"everything but that":  func(t *testing.T, path string) { damage(t, path, 4096, 500<<10) },
		"all of it":            func(t *testing.T, path string) { damage(t, path, 0, 600<<10) },
		"half of it is gone":   func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 100<<10)) },
		"all of it is gone":    func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 0)) },
		"the file is gone too": func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			require.Eventually(t, func() bool { return r.beat(t).Rounds > 0 }, testwait.Limit, often)
			r.answers(t, http.StatusOK, "/posts")

			hurt(t, filepath.Join(r.dir, "target.db"))
			for _, path := range []string{"/posts", "/api/bot-posts", "/api/bot-status"} {
				r.answers(t, http.StatusInternalServerError, path)
			}
			require.Eventually(t, func() bool { return r.beat(t).Error != "" }, testwait.Limit, often)
			require.Equal(t, "The database of the chaos target cannot be read.", r.beat(t).Error)
			for _, path := range []string{"/", "/healthz", "/og-image.png"} {
				r.is(t, http.StatusOK, path)
			}
		})
	}
}

func TestADamagedDatabaseKeepsNobodyFromStarting(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.answers(t, http.StatusOK, "/posts")
	whole, err := os.ReadFile(filepath.Join(r.dir, "target.db"))
	require.NoError(t, err)

	other := running{dir: t.TempDir()}
	require.NoError(t, os.CopyFS(filepath.Join(other.dir, "live"), os.DirFS(filepath.Join(r.dir, "live"))))
	path := filepath.Join(other.dir, "target.db")
	require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte{0xA5}, len(whole)), 0o600))
	other.url = serve(t, other.dir)
	other.answers(t, http.StatusOK, "/healthz")
	other.is(t, http.StatusInternalServerError, "/posts")
	require.NotEmpty(t, other.beat(t).Error)

	require.NoError(t, os.WriteFile(path, whole, 0o600))
	other.answers(t, http.StatusOK, "/posts")
	require.Eventually(t, func() bool { return other.beat(t).Error == "" }, testwait.Limit, often)
}

func TestTheFirstPostsAreThereOnce(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.answers(t, http.StatusOK, "/posts")
	_, first := r.get(t, "/posts")
	require.Contains(t, first, "3 in all")

	again := running{dir: r.dir, url: serve(t, r.dir)}
	again.answers(t, http.StatusOK, "/posts")
	_, second := again.get(t, "/posts")
	require.Equal(t, first, second)
}

func TestReadersAreNotDisturbedByTheWorkersRounds(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.answers(t, http.StatusOK, "/posts")
	for begun := time.Now(); time.Since(begun) < time.Second; {
		r.is(t, http.StatusOK, "/api/bot-posts")
	}
}

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
			body := r.is(t, http.StatusOK, path)
			require.Equal(t, string(whole), body)

			require.NoError(t, os.Remove(r.live(name)))
			r.is(t, http.StatusNotFound, path)

			r.restore(t, name)
			r.is(t, http.StatusOK, path)
		})
	}
}

func TestPagesNeedTheirTemplates(t *testing.T) {
	t.Parallel()
	plain := "The chaos target is broken. This page cannot be shown now."
	for name, tt := range map[string]struct {
		remove string // below live
		path   string
		status int
		says   string
	}{
		"without any template":     {"templates", "/", http.StatusInternalServerError, plain},
		"without the layout":       {target.FileLayout, "/status", http.StatusInternalServerError, plain},
		"without its own template": {target.FilePosts, "/posts", http.StatusInternalServerError, `data-target="error"`},
		"without the settings":     {target.FileSettings, "/", http.StatusInternalServerError, plain},
		"without the error page":   {target.FileErrorPage, "/nowhere", http.StatusNotFound, "There is no such page."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			require.NoError(t, os.RemoveAll(r.live(tt.remove)))
			require.Contains(t, r.is(t, tt.status, tt.path), tt.says)
			r.is(t, http.StatusOK, "/api/bot-status") // the API needs no template

			for _, file := range target.Files() {
				r.restore(t, file)
			}
			r.is(t, http.StatusOK, "/")
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
	r.is(t, http.StatusInternalServerError, "/")
}

func TestNoLinkLeadsOutOfTheFolder(t *testing.T) {
	t.Parallel()
	r := start(t)
	secret := filepath.Join(r.dir, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("a secret"), 0o600))
	for _, link := range []string{secret, "../../secret"} {
		require.NoError(t, os.Remove(r.live(target.FileRobots)))
		require.NoError(t, os.Symlink(link, r.live(target.FileRobots)))
		body := r.is(t, http.StatusInternalServerError, "/robots.txt")
		require.NotContains(t, body, "secret")
	}
}
