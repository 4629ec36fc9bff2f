package feeds

import (
	"context"
	"encoding/xml"
	"strings"
	"time"

	"customerzero/internal/domain/experiment"
)

// publicPages are those that everybody may read, and that have one address.
var publicPages = []string{
	"/", "/dashboard", "/scheduler", "/bot-posts", "/chaos-monkey", "/ai-verification", "/pricing", "/ai-pricing", "/experiments",
	"/agent-demo", "/tweet-generator", "/bot-operations", "/treasury", "/runs", "/terms", "/privacy", "/docs",
}

// privatePlaces are for people who are logged in, and for programs.
var privatePlaces = []string{"/api/", "/sandbox/", "/account", "/credentials", "/auth/"}

// sitemapMost is how many experiments are in the sitemap: the lab, for years. The format allows
// for 50,000 addresses.
const sitemapMost = 10_000

type sitemap struct {
	XMLName xml.Name  `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	Pages   []mapPage `xml:"url"`
}

type mapPage struct {
	Address string `xml:"loc"`
	Changed string `xml:"lastmod,omitempty"`
}

func (a *API) GetSitemap(ctx context.Context, _ *struct{}) (*feedReply, error) {
	shown := sitemap{}
	for _, page := range publicPages {
		shown.Pages = append(shown.Pages, mapPage{Address: a.Site.PublicURL + page})
	}
	for _, status := range []experiment.Status{"", experiment.Declined} { // what was declined is listed only when asked for
		found, _, err := a.Experiments.Experiments(ctx, experiment.Query{Status: status, Order: experiment.Newest, Limit: sitemapMost})
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			shown.Pages = append(shown.Pages, mapPage{a.Site.PublicURL + "/experiments/" + e.Slug, e.UpdatedAt.UTC().Format(time.RFC3339)})
		}
	}
	body, err := xml.MarshalIndent(shown, "", "  ")
	return fileReply(append([]byte(xml.Header), body...), "application/xml; charset=utf-8", ""), err
}

func (a *API) GetRobots(ctx context.Context, _ *struct{}) (*feedReply, error) {
	rules := "User-agent: *\nAllow: /\nDisallow: " + strings.Join(privatePlaces, "\nDisallow: ") +
		"\n\nSitemap: " + a.Site.PublicURL + "/sitemap.xml\n"
	return fileReply([]byte(rules), "text/plain; charset=utf-8", ""), nil
}
