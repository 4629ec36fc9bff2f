// Package feeds serves RSS and JSON feeds, the sitemap and robots.txt.
package feeds

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"html"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gorilla/feeds"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
)

// API implements the operations of this feature.
type API struct{ httpapi.Deps }

type feedRequest struct {
	Name        string `path:"name" maxLength:"40" doc:"posts, experiments or chaos, followed by .xml or .json"`
	IfNoneMatch string `header:"If-None-Match" doc:"ETag of a stored copy"` // handled by the middleware, which sets the ETag
}

const (
	feedMost  = 30  // items of a feed
	feedTitle = 100 // characters of a title
)

type news struct {
	id, path, title, text string
	at                    time.Time
}

// channel is a feed. read returns its items, newest first.
type channel struct {
	title, about, page string
	read               func(context.Context) ([]news, error)
}

func (a *API) channels() map[string]channel {
	return map[string]channel{
		"posts":       {"Posts", "Posts published by the bot. Each links to the workflow run that published it.", "/bot-posts", a.postNews},
		"experiments": {"Experiments", "New experiments and their results.", "/experiments", a.experimentNews},
		"chaos":       {"Chaos", "Chaos tests, and whether the chaos target healed in time.", "/chaos-monkey", a.chaosNews},
	}
}

func (a *API) GetFeed(ctx context.Context, req *feedRequest) (*httpapi.FileReply, error) {
	kind := path.Ext(req.Name)
	show, known := map[string]func(*feeds.Feed, string) ([]byte, string, error){".xml": showRSS, ".json": showJSONFeed}[kind]
	name := strings.TrimSuffix(req.Name, kind)
	about, listed := a.channels()[name]
	if !known || !listed {
		return nil, problem.New(problem.NotFound, "Unknown feed. Available: posts, experiments and chaos, each as .xml or .json.")
	}
	all, err := about.read(ctx)
	if err != nil {
		return nil, err
	}
	body, contentType, err := show(a.feedOf(about, all), a.Site.PublicURL+"/feeds/"+req.Name)
	if err != nil {
		return nil, err
	}
	return file(body, contentType), nil
}

func (a *API) feedOf(about channel, all []news) *feeds.Feed {
	feed := &feeds.Feed{
		Title: "Customer Zero: " + about.title, Description: about.about, Link: &feeds.Link{Href: a.Site.PublicURL + about.page},
	}
	for _, n := range all[:min(len(all), feedMost)] {
		if n.at.After(feed.Updated) { // not the current time, so that an unchanged feed keeps its ETag
			feed.Updated = n.at.UTC()
		}
		feed.Add(&feeds.Item{
			Id: n.id, IsPermaLink: "false", Link: &feeds.Link{Href: a.Site.PublicURL + n.path},
			Title: titleOf(n.title), Description: printable(n.text), Created: n.at.UTC(),
		})
	}
	return feed
}

// rss is a feed with the link to itself that validators require; the library has none.
type rss struct {
	XMLName xml.Name `xml:"rss"`
	Version string   `xml:"version,attr"`
	Content string   `xml:"xmlns:content,attr"`
	Atom    string   `xml:"xmlns:atom,attr"`
	Channel rssChannel
}

type rssChannel struct {
	XMLName xml.Name `xml:"channel"`
	Self    selfLink `xml:"atom:link"`
	*feeds.RssFeed
}

type selfLink struct {
	Href string `xml:"href,attr"`
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
}

// FeedXml implements feeds.XmlFeed.
func (r rss) FeedXml() any { return r }

// showRSS escapes texts twice, because readers render a description as HTML.
func showRSS(feed *feeds.Feed, address string) (body []byte, contentType string, err error) {
	for _, item := range feed.Items {
		item.Description = strings.ReplaceAll(html.EscapeString(item.Description), "\n", "<br>\n")
	}
	channel := (&feeds.Rss{Feed: feed}).RssFeed()
	channel.Language = "en"
	text, err := feeds.ToXML(rss{
		Version: "2.0", Content: "http://purl.org/rss/1.0/modules/content/", Atom: "http://www.w3.org/2005/Atom",
		Channel: rssChannel{Self: selfLink{address, "self", "application/rss+xml"}, RssFeed: channel},
	})
	return []byte(text), "application/rss+xml; charset=utf-8", err
}

// showJSONFeed always includes items, as the format requires.
func showJSONFeed(feed *feeds.Feed, address string) (body []byte, contentType string, err error) {
	shown := struct {
		*feeds.JSONFeed
		Items []*feeds.JSONItem `json:"items"`
	}{(&feeds.JSON{Feed: feed}).JSONFeed(), []*feeds.JSONItem{}}
	shown.FeedUrl, shown.Language = address, "en"
	for _, item := range shown.JSONFeed.Items {
		item.ContentText, item.Summary = item.Summary, ""
		shown.Items = append(shown.Items, item)
	}
	body, err = json.MarshalIndent(shown, "", "  ")
	return body, "application/feed+json", err
}

func file(body []byte, contentType string) *httpapi.FileReply {
	return &httpapi.FileReply{Status: http.StatusOK, ContentType: contentType, Body: body}
}

func titleOf(text string) string {
	line := strings.Join(strings.Fields(printable(text)), " ")
	if utf8.RuneCountInString(line) <= feedTitle {
		return cmp.Or(line, "Untitled")
	}
	short := string([]rune(line)[:feedTitle-1])
	if space := strings.LastIndexByte(short, ' '); space > len(short)/2 {
		short = short[:space]
	}
	return strings.TrimRight(short, " .,;:") + "…"
}

// printable drops characters that XML does not allow.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r), r == utf8.RuneError, r == '\uFFFE', r == '\uFFFF':
			return -1
		}
		return r
	}, text)
}

var publicPages = []string{
	"/", "/dashboard", "/scheduler", "/bot-posts", "/chaos-monkey", "/ai-verification", "/pricing", "/ai-pricing", "/experiments",
	"/agent-demo", "/tweet-generator", "/bot-operations", "/treasury", "/runs", "/terms", "/privacy", "/docs",
}

// privatePlaces are paths that robots.txt disallows.
var privatePlaces = []string{"/api/", "/sandbox/", "/account", "/credentials", "/auth/"}

// sitemapMost bounds the experiments in the sitemap. The format allows 50,000 URLs.
const sitemapMost = 10_000

type sitemap struct {
	XMLName xml.Name  `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	Pages   []mapPage `xml:"url"`
}

type mapPage struct {
	Address string `xml:"loc"`
	Changed string `xml:"lastmod,omitempty"`
}

func (a *API) GetSitemap(ctx context.Context, _ *struct{}) (*httpapi.FileReply, error) {
	shown := sitemap{}
	for _, page := range publicPages {
		shown.Pages = append(shown.Pages, mapPage{Address: a.Site.PublicURL + page})
	}
	for _, status := range []experiment.Status{"", experiment.Declined} { // the default list excludes declined ones
		found, _, err := a.Experiments.Experiments(ctx, experiment.Query{Status: status, Order: experiment.Newest, Limit: sitemapMost})
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			shown.Pages = append(shown.Pages, mapPage{a.Site.PublicURL + "/experiments/" + e.Slug, e.UpdatedAt.UTC().Format(time.RFC3339)})
		}
	}
	body, err := xml.MarshalIndent(shown, "", "  ")
	return file(append([]byte(xml.Header), body...), "application/xml; charset=utf-8"), err
}

func (a *API) GetRobots(ctx context.Context, _ *struct{}) (*httpapi.FileReply, error) {
	rules := "User-agent: *\nAllow: /\nDisallow: " + strings.Join(privatePlaces, "\nDisallow: ") +
		"\n\nSitemap: " + a.Site.PublicURL + "/sitemap.xml\n"
	return file([]byte(rules), "text/plain; charset=utf-8"), nil
}
