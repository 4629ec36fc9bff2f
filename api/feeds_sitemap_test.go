package api_test

import (
	"encoding/xml"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type sitemap struct {
	XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	Pages   []struct {
		Address string `xml:"loc"`
		Changed string `xml:"lastmod"`
	} `xml:"url"`
}

func TestTheSitemapNamesEveryPublicPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Site.PublicURL = "https://zero.example"
	w.planned(t, "Reply <to> & fro")
	declined := w.planned(t, "It was turned down")
	w.moved(t, declined.Slug, "declined")
	w.submit(t, "", titled("It waits"))
	rec := w.do(t, call{method: http.MethodGet, path: "/sitemap.xml", key: "none"})
	require.Equal(t, []string{"application/xml; charset=utf-8", "public, max-age=3600"}, []string{rec.Header().Get("Content-Type"), rec.Header().Get("Cache-Control")})
	var pages sitemap
	require.NoError(t, xml.Unmarshal(rec.Body.Bytes(), &pages), rec.Body.String())
	changed, addresses := map[string]string{}, []string{}
	for _, page := range pages.Pages {
		path, ours := strings.CutPrefix(page.Address, "https://zero.example")
		require.True(t, ours, page.Address)
		changed[path], addresses = page.Changed, append(addresses, path)
	}
	require.Equal(t, []string{
		"/", "/dashboard", "/scheduler", "/bot-posts", "/chaos-monkey", "/ai-verification", "/pricing", "/ai-pricing", "/experiments",
		"/agent-demo", "/tweet-generator", "/bot-operations", "/treasury", "/runs", "/terms", "/privacy", "/docs",
		"/experiments/001-public-experiments-page", "/experiments/002-reply-to-fro", "/experiments/003-it-was-turned-down",
	}, addresses)
	require.Equal(t, "2026-11-22T00:00:00Z", changed["/experiments/001-public-experiments-page"])
	require.Equal(t, "2026-11-20T12:00:00Z", changed["/experiments/003-it-was-turned-down"])
	require.Empty(t, changed["/dashboard"])
}

func TestRobotsMayReadThePublicPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Site.PublicURL = "https://zero.example"
	rec := w.do(t, call{method: http.MethodGet, path: "/robots.txt", key: "none"})
	require.Equal(t, ok, rec.Code)
	require.Equal(t, "text/plain; charset=utf-8", rec.Header().Get("Content-Type"))
	require.Equal(t, `User-agent: *
Allow: /
Disallow: /api/
Disallow: /sandbox/
Disallow: /account
Disallow: /credentials
Disallow: /auth/

Sitemap: https://zero.example/sitemap.xml
`, rec.Body.String())
}

// A page that somebody adds is in the sitemap, or here, because it is for one person only.
func TestThePagesAndTheSitemapAgree(t *testing.T) {
	t.Parallel()
	personal := []string{"/pricing/success", "/pricing/cancelled", "/credentials", "/auth/signin", "/auth/claim", "/account", "/unsubscribe"}
	routes, err := os.ReadFile("../ui/src/routes.tsx")
	require.NoError(t, err)
	w := newWorld(t)
	listed := w.do(t, call{method: http.MethodGet, path: "/sitemap.xml", key: "none"}).Body.String()
	pages := regexp.MustCompile(`path: '([a-z/-]+)',(.*)`).FindAllStringSubmatch(string(routes), -1)
	require.NotEmpty(t, pages)
	for _, page := range pages {
		path, leadsElsewhere := "/"+page[1], strings.Contains(page[2], "<Navigate")
		inside := strings.Contains(listed, "<loc>http://example.com"+path+"</loc>")
		require.Equal(t, !leadsElsewhere && !slices.Contains(personal, path), inside, path)
	}
}
