package api_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
)

type rss struct {
	Version string `xml:"version,attr"`
	Channel struct {
		Title string `xml:"title"`
		Self  struct {
			Href string `xml:"href,attr"`
			Rel  string `xml:"rel,attr"`
		} `xml:"http://www.w3.org/2005/Atom link"`
		Link     string    `xml:"link"`
		Language string    `xml:"language"`
		Items    []rssItem `xml:"item"`
	} `xml:"channel"`
}

type rssItem struct {
	Title       string `xml:"title"`
	Link        string `xml:"link"`
	Description string `xml:"description"`
	PubDate     string `xml:"pubDate"`
	GUID        struct {
		ID        string `xml:",chardata"`
		Permalink string `xml:"isPermaLink,attr"`
	} `xml:"guid"`
}

type jsonFeed struct {
	Version     string         `json:"version"`
	Title       string         `json:"title"`
	HomePageURL string         `json:"home_page_url"`
	FeedURL     string         `json:"feed_url"`
	Items       []jsonFeedItem `json:"items"`
}

type jsonFeedItem struct {
	ID            string    `json:"id"`
	URL           string    `json:"url"`
	Title         string    `json:"title"`
	ContentText   string    `json:"content_text"`
	DatePublished time.Time `json:"date_published"`
}

// feeds reads a feed as RSS and JSON and checks that they match.
func (w *world) feeds(t *testing.T, name string) []jsonFeedItem {
	rec := w.visits(t, "/feeds/"+name+".xml")
	require.Equal(t, []any{ok, "application/rss+xml; charset=utf-8"}, []any{rec.Code, rec.Header().Get("Content-Type")}, rec.Body.String())
	var asRSS rss
	decoder := xml.NewDecoder(rec.Body)
	decoder.Strict = true
	require.NoError(t, decoder.Decode(&asRSS))
	rec = w.visits(t, "/feeds/"+name+".json")
	require.Equal(t, []any{ok, "application/feed+json"}, []any{rec.Code, rec.Header().Get("Content-Type")})
	var asJSONFeed jsonFeed
	require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &asJSONFeed))
	require.NotNil(t, asJSONFeed.Items, "the format requires items")

	require.Equal(t, []string{"self", "http://example.com/feeds/" + name + ".xml"}, []string{asRSS.Channel.Self.Rel, asRSS.Channel.Self.Href})
	require.Equal(t, []string{"2.0", "en"}, []string{asRSS.Version, asRSS.Channel.Language})
	require.Equal(t, []string{"https://jsonfeed.org/version/1.1", "http://example.com/feeds/" + name + ".json"}, []string{asJSONFeed.Version, asJSONFeed.FeedURL})
	require.Equal(t, []string{asRSS.Channel.Title, asRSS.Channel.Link}, []string{asJSONFeed.Title, asJSONFeed.HomePageURL})
	require.Len(t, asRSS.Channel.Items, len(asJSONFeed.Items))
	for i, item := range asRSS.Channel.Items {
		other := asJSONFeed.Items[i]
		at := must(time.Parse(time.RFC1123Z, item.PubDate))(t)
		require.WithinDuration(t, other.DatePublished, at, time.Second)
		require.Equal(t, []string{other.ID, "false"}, []string{item.GUID.ID, item.GUID.Permalink})
		require.Equal(t, []string{other.Title, other.URL}, []string{item.Title, item.Link})
		require.NotContains(t, item.Description, "<script", "readers render it as HTML")
		require.Equal(t, other.ContentText, html.UnescapeString(strings.ReplaceAll(item.Description, "<br>", "")))
		require.True(t, strings.HasPrefix(item.Link, "http://example.com/"), item.Link)
	}
	return asJSONFeed.Items
}

func TestPostsFeed(t *testing.T) {
	w := newWorld(t)
	require.Empty(t, w.feeds(t, "posts"))
	w.publish(t, "The first & <b>best</b>")
	rec := w.newMember(t, "ada").post(t, "/tweet", asJSON(t, map[string]string{"content": strings.Repeat("many words ", 20)}))
	require.Equal(t, ok, rec.Code, rec.Body.String())

	items := map[bool]jsonFeedItem{}
	for _, item := range w.feeds(t, "posts") {
		items[strings.HasPrefix(item.Title, "many")] = item
	}
	founders, sponsored := items[false], items[true]
	id := strings.TrimPrefix(founders.ID, "post:")
	require.Equal(t, "http://example.com/runs/post:"+id, founders.URL)
	require.Equal(t, []string{"The first & <b>best</b>", "The first & <b>best</b>"}, []string{founders.Title, founders.ContentText})
	require.WithinDuration(t, now, founders.DatePublished, 0)
	require.Equal(t, strings.Repeat("many words ", 9)[:98]+"…", sponsored.Title, "cut between words")
	require.Equal(t, strings.Repeat("many words ", 20)+"\n\nsponsored by @ada", sponsored.ContentText)
}

func TestChaosFeedListsEndedRuns(t *testing.T) {
	w := newWorld(t)
	id := w.healed(t)
	w.now = now.Add(time.Hour)
	failed := w.endedAs(t, chaos.Failed, 500, -1)
	w.now = now.Add(2 * time.Hour)
	w.requested(t)
	items := w.feeds(t, "chaos")
	require.Len(t, items, 2, "a running run is not listed")
	require.Equal(t, jsonFeedItem{
		ID: "chaos:" + id, URL: "http://example.com/chaos-monkey/runs/" + id, Title: "crash-api: healed after 1.0 s",
		ContentText: "The game day started crash-api (dashboard). The test ended: healed in time.", DatePublished: now.Add(3 * time.Second),
	}, items[1])
	require.Equal(t, []string{"chaos:" + failed, "crash-api: not healed"}, []string{items[0].ID, items[0].Title})
}

func TestExperimentsFeedListsVerdicts(t *testing.T) {
	w := newWorld(t)
	w.now = now.AddDate(0, 0, 2)
	met := w.promised(t, "Reply to every mention")
	w.moved(t, met.Slug, "active")
	w.browser().post(t, "/api/experiments/submit", titled("It waits"))
	must(w.db.Experiments.SettleExperiment(t.Context(), w.rowID(t, "002"), experiment.Reading{Value: 8, Sample: 8, Any: true}, now.AddDate(0, 0, 10)))(t)
	w.now = now.AddDate(0, 0, 11)
	must(w.db.Experiments.CloseVotes(t.Context(), w.rowID(t, "002"), "experiment:x", "run", w.now))(t)
	idea := w.idea(t, w.browser(), titled("It was turned down"))
	w.moved(t, idea.ID, "planning", "declined")
	hidden := w.idea(t, w.browser(), titled("It was turned down in secret"))
	w.moved(t, hidden.ID, "declined")

	byID := map[string]jsonFeedItem{}
	ids := []string{}
	for _, item := range w.feeds(t, "experiments") {
		byID[item.ID], ids = item, append(ids, item.ID)
	}
	require.Equal(t, []string{"experiment:003:ended", "experiment:002:ended", "experiment:002", "experiment:001"}, ids, "newest first")
	require.Equal(t, "Experiment #001: Public experiments page", byID["experiment:001"].Title)
	require.Contains(t, byID["experiment:001"].ContentText, "Hypothesis: If we build a public page")
	verdict := byID["experiment:002:ended"]
	require.Equal(t, "Experiment #002 completed: Reply to every mention", verdict.Title)
	require.Equal(t, "Status: completed.\nIts metric reached the threshold.\nVotes: 0 up, 0 down.", verdict.ContentText)
	require.Equal(t, "http://example.com/experiments/002-reply-to-every-mention", verdict.URL)
	require.Equal(t, "Status: declined.\nbecause", byID["experiment:003:ended"].ContentText)
}

func TestAFeedHasThirtyItems(t *testing.T) {
	w := newWorld(t)
	for n := range 32 {
		w.now = now.AddDate(0, 0, 1+n)
		w.planned(t, fmt.Sprint("An idea, number ", n))
	}
	items := w.feeds(t, "experiments")
	require.Len(t, items, 30)
	require.Equal(t, []string{"Experiment #033: An idea, number 31", "Experiment #004: An idea, number 2"}, []string{items[0].Title, items[29].Title})
}

// Hostile texts do not break a feed and are shown as text.
// Proves: F21
func TestFeedsCarryHostileTexts(t *testing.T) {
	w := newWorld(t)
	const hostile = "]]> <script>alert(1)</script> </description></item> <!-- &lt;b&gt; &#0; \x01\x08\x0b\x1f\x7f\u0085\ufffe\uffff \"' end"
	const harmless = "]]> <script>alert(1)</script> </description></item> <!-- &lt;b&gt; &#0;  \"' end"
	w.exec(t, "UPDATE experiments SET title = substr(?, 1, 120), problem = ? WHERE id = '001'", hostile, hostile+"\nin two lines\t")
	w.exec(t, "UPDATE chaos_runs SET source = ? WHERE id = ?", hostile, w.healed(t))
	w.publish(t, `]]> <script>alert(1)</script>`)
	w.exec(t, "UPDATE posts SET text = ?", hostile)

	e := w.feeds(t, "experiments")[0]
	require.True(t, strings.HasPrefix(e.Title, "Experiment #001: ]]> <script>alert(1)</script>"), e.Title)
	require.LessOrEqual(t, len([]rune(e.Title)), 100)
	require.True(t, strings.HasPrefix(e.ContentText, "Problem: "+harmless+"\nin two lines\t\n\nHypothesis: "), e.ContentText)
	require.Contains(t, w.feeds(t, "chaos")[0].ContentText, harmless)
	require.Equal(t, harmless, w.feeds(t, "posts")[0].ContentText)
}

func TestUnknownFeedsAreNotFound(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"posts", "posts.atom", "nothing.xml", ".xml", "POSTS.xml", ""} {
		refused(t, w.visits(t, "/feeds/"+name), problem.NotFound, name)
	}
}

type sitemap struct {
	XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	Pages   []struct {
		Address string `xml:"loc"`
		Changed string `xml:"lastmod"`
	} `xml:"url"`
}

func TestTheSitemapListsEveryPublicPage(t *testing.T) {
	w := newWorld(t)
	w.server.Site.PublicURL = "https://zero.example"
	w.planned(t, "Reply <to> & fro")
	declined := w.planned(t, "It was turned down")
	w.moved(t, declined.Slug, "declined")
	w.browser().post(t, "/api/experiments/submit", titled("It waits"))
	rec := w.visits(t, "/sitemap.xml")
	require.Equal(t, []string{"application/xml; charset=utf-8", "public, max-age=3600"}, []string{rec.Header().Get("Content-Type"), rec.Header().Get("Cache-Control")})
	var pages sitemap
	require.NoError(t, xml.Unmarshal(rec.Body.Bytes(), &pages), rec.Body.String())
	changed, addresses := map[string]string{}, []string{}
	for _, page := range pages.Pages {
		path, own := strings.CutPrefix(page.Address, "https://zero.example")
		require.True(t, own, page.Address)
		changed[path], addresses = page.Changed, append(addresses, path)
	}
	require.Equal(t, []string{
		"/", "/dashboard", "/scheduler", "/bot-posts", "/chaos-monkey", "/ai-verification", "/pricing", "/ai-pricing", "/experiments",
		"/agent-demo", "/tweet-generator", "/bot-operations", "/treasury", "/runs", "/terms", "/privacy", "/docs",
		"/experiments/001-public-experiments-page", "/experiments/002-reply-to-fro", "/experiments/003-it-was-turned-down",
	}, addresses)
	robots := w.visits(t, "/robots.txt")
	require.Equal(t, "text/plain; charset=utf-8", robots.Header().Get("Content-Type"))
	require.Equal(t, "User-agent: *\nAllow: /\nDisallow: /api/\nDisallow: /sandbox/\nDisallow: /account\nDisallow: /credentials\nDisallow: /auth/\n\n"+
		"Sitemap: https://zero.example/sitemap.xml\n", robots.Body.String())
	require.Equal(t, "2026-11-20T23:37:45Z", changed["/experiments/001-public-experiments-page"])
	require.Equal(t, "2026-11-20T12:00:00Z", changed["/experiments/003-it-was-turned-down"])
	require.Empty(t, changed["/dashboard"])
}

// Every page of the UI is in the sitemap or in the list of personal pages.
func TestThePagesAndTheSitemapAgree(t *testing.T) {
	personal := []string{"/pricing/success", "/pricing/cancelled", "/credentials", "/auth/signin", "/auth/claim", "/account", "/unsubscribe"}
	routes := must(os.ReadFile("../ui/src/routes.tsx"))(t)
	w := newWorld(t)
	listed := w.visits(t, "/sitemap.xml").Body.String()
	pages := regexp.MustCompile(`path: '([a-z/-]+)',(.*)`).FindAllStringSubmatch(string(routes), -1)
	require.NotEmpty(t, pages)
	for _, page := range pages {
		path, leadsElsewhere := "/"+page[1], strings.Contains(page[2], "<Navigate")
		inside := strings.Contains(listed, "<loc>http://example.com"+path+"</loc>")
		require.Equal(t, !leadsElsewhere && !slices.Contains(personal, path), inside, path)
	}
}

func TestBadgesShowTheCurrentState(t *testing.T) {
	t.Parallel()
	const score, heal, status = "/api/chaos/badges/score.svg", "/api/chaos/badges/last-heal.svg", "/api/verification/badges/status.svg"
	verified := func(l siteCheck) func(*testing.T, *world) { return func(t *testing.T, w *world) { w.inARow(t, l) } }
	ended := func(v chaos.Verdict, healed int) func(*testing.T, *world) {
		return func(t *testing.T, w *world) { w.endedAs(t, v, 300, healed) }
	}
	for name, tt := range map[string]struct {
		before              func(*testing.T, *world)
		later               time.Duration
		path, title, colour string
	}{
		"no runs":                   {nil, 0, score, "resilience: no runs yet", "#5c636a"},
		"nothing healed yet":        {nil, 0, heal, "last heal: no runs yet", "#5c636a"},
		"some failed":               {func(t *testing.T, w *world) { w.someRuns(t) }, 0, score, "resilience: 62.5 %", "#c92a2a"},
		"healed three minutes ago":  {ended(chaos.Healed, 1000), 3*time.Minute + 3*time.Second, heal, "last heal: 1.0 s · 3 min ago", "#2b8a3e"},
		"healed just now, but late": {ended(chaos.HealedLate, 6000), 0, heal, "last heal: 6.0 s · just now", "#a66300"},
		"not healed":                {ended(chaos.Failed, -1), 0, heal, "last heal: not healed", "#c92a2a"},
		"no verifications":          {nil, 0, status, "verification: no runs yet", "#5c636a"},
		"verified":                  {verified(well), 5 * time.Minute, status, "verification: working · 5 min ago", "#2b8a3e"},
		"failed":                    {verified(failed), 0, status, "verification: broken · just now", "#c92a2a"},
		"verified, and stale":       {verified(well), 3 * time.Hour, status, "verification: degraded · 3 h ago", "#a66300"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if tt.before != nil {
				tt.before(t, w)
			}
			w.now = w.now.Add(tt.later)
			rec := w.visits(t, tt.path)
			require.Equal(t, []any{ok, "image/svg+xml"}, []any{rec.Code, rec.Header().Get("Content-Type")}, rec.Body.String())
			var picture struct {
				Title string `xml:"title"`
				Path  struct {
					Fill string `xml:"fill,attr"`
				} `xml:"path"`
				Texts []string `xml:"g>text"`
			}
			require.NoError(t, xml.Unmarshal(rec.Body.Bytes(), &picture), rec.Body.String())
			require.Equal(t, []string{tt.title, tt.colour, tt.title}, []string{picture.Title, picture.Path.Fill, strings.Join(picture.Texts, ": ")})
			require.Equal(t, nothing, w.visits(t, tt.path+".svg").Code)
		})
	}
}
