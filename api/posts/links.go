package posts

import (
	"fmt"
	"net/url"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/post"
	"customerzero/workflows"
)

// runRef names the run of a post, and links to its page.
func (a *API) runRef(p post.Post) httpapi.RunRef {
	return httpapi.RunOf(workflows.PostID(p.ID), p.RunID)
}

// timeAgo says how long ago something was, as people say it.
func timeAgo(d time.Duration) string {
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := int(d / unit.size); n == 1 {
			return "1 " + unit.name + " ago"
		} else if n > 1 {
			return fmt.Sprintf("%d %ss ago", n, unit.name)
		}
	}
	return "just now"
}

// tweetURL is where people see a post: on X, or on the sandbox's timeline.
func (a *API) tweetURL(p post.Post) string {
	if p.TweetID == nil || !a.Site.Sandbox {
		return p.URL
	}
	return a.Site.PublicURL + httpapi.SandboxX + "/status/" + url.PathEscape(*p.TweetID)
}
