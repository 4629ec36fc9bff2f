package auth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/rs/xid"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

const (
	// CallbackPath is where X sends people back to; the app at X has to list it.
	CallbackPath = "/auth/x/callback"
	LoginPath    = "/auth/x/login"
	afterLogin   = "/experiments"
)

// LeaveForX sends somebody to X's consent page.
func (a *API) LeaveForX(c *gin.Context) {
	c.Header("Cache-Control", httpapi.NoStore)
	next := sameOriginPath(c.Query("next"))
	if to, elsewhere := a.canonicalLogin(c.Request, next); elsewhere {
		c.Redirect(http.StatusSeeOther, to)
		return
	}
	if a.Site.Sandbox && !a.Site.AtHome(c.Request) {
		a.land(c, next, account.SandboxOpen, "")
		return
	}
	ctx, who := c.Request.Context(), httpapi.CallerOf(c.Request.Context())
	browser := account.NewToken()
	l := account.XLogin{
		ID: xid.New().String(), BrowserHash: account.Hash(browser), Next: next, Device: who.Device, State: account.RequestingToken,
		CreatedAt: a.Now(), ExpiresAt: a.Now().Add(account.XLoginLife),
	}
	token, err := a.beginXLogin(ctx, l, who.Visitor(a.Marks))
	if err != nil {
		a.landOn(c, next, err)
		return
	}
	cookie := a.Site.Cookie(httpapi.LoginCookie, browser, account.XLoginLife)
	http.SetCookie(c.Writer, &cookie)
	c.Redirect(http.StatusSeeOther, a.Consent(token))
}

// canonicalLogin finds people who use another name of this host: X would send them back to
// the configured one, where their cookie is not. It tries once: a proxy may hide the name.
func (a *API) canonicalLogin(r *http.Request, next string) (string, bool) {
	public, err := url.Parse(a.Site.PublicURL)
	if err != nil || public.Host == r.Host || r.URL.Query().Has("moved") {
		return "", false
	}
	return a.Site.PublicURL + LoginPath + "?moved=1&next=" + url.QueryEscape(next), true
}

// ended is a login that led nowhere.
type ended struct {
	outcome account.Outcome
	detail  string
}

func (e ended) Error() string { return string(e.outcome) }

func (a *API) beginXLogin(ctx context.Context, l account.XLogin, visitor string) (token string, err error) {
	if err := a.Accounts.BeginXLogin(ctx, l, visitor); err != nil {
		return "", err
	}
	if err := a.Runs.BeginXLogin(ctx, l.ID); err != nil {
		return "", err
	}
	if l, err = a.Accounts.XLogin(ctx, l.ID); err != nil {
		return "", err
	}
	if l.State != account.Redirected {
		return "", ended{l.Outcome, l.Detail}
	}
	kept, err := a.Accounts.RequestToken(ctx, l.ID)
	return kept.Token, err
}

// ReturnFromX takes somebody in whom X sent back. Only the browser that left may return,
// and only once.
func (a *API) ReturnFromX(c *gin.Context) {
	c.Header("Cache-Control", httpapi.NoStore)
	ctx, who := c.Request.Context(), httpapi.CallerOf(c.Request.Context())
	gone := a.Site.Cookie(httpapi.LoginCookie, "", 0)
	http.SetCookie(c.Writer, &gone)

	back, err := readReturn(c.Request.URL.Query(), who.Pending)
	if err != nil {
		a.landOn(c, afterLogin, err)
		return
	}
	l, err := a.Accounts.BringXLoginBack(ctx, back, a.Now())
	if problem.CodeOf(err) == problem.NotFound && err != nil {
		a.land(c, afterLogin, account.ExpiredToken, "")
		return
	}
	if err == nil {
		l, err = a.finishXLogin(ctx, l)
	}
	if err != nil {
		a.landOn(c, orPage(l.Next), err)
		return
	}
	cookie, err := a.openFor(ctx, *l.AccountID, account.ByX)
	if err != nil {
		a.landOn(c, l.Next, err)
		return
	}
	http.SetCookie(c.Writer, &cookie)
	a.land(c, l.Next, account.LoggedIn, "")
}

// readReturn reads what X's consent page sent along.
func readReturn(query url.Values, browser string) (account.Returned, error) {
	const longest = 200
	for _, name := range []string{"oauth_token", "oauth_verifier", "denied"} {
		if len(query[name]) > 1 { // X says each thing once
			return account.Returned{}, ended{account.InvalidResponse, "no_token"}
		}
	}
	token, verifier := query.Get("oauth_token"), query.Get("oauth_verifier")
	if denied := query.Get("denied"); denied != "" {
		token, verifier = denied, ""
	} else if token == "" || verifier == "" {
		return account.Returned{}, ended{account.InvalidResponse, "no_token"}
	}
	if len(token) > longest || len(verifier) > longest {
		return account.Returned{}, ended{account.InvalidResponse, "no_token"}
	}
	return account.Returned{Token: token, BrowserHash: account.Hash(browser), Verifier: verifier}, nil
}

func (a *API) finishXLogin(ctx context.Context, l account.XLogin) (account.XLogin, error) {
	next := l.Next
	if err := a.Runs.FinishXLogin(ctx, l.ID); err != nil && problem.CodeOf(err) != problem.Conflict {
		return l, err
	}
	l, err := a.Accounts.XLogin(ctx, l.ID)
	if err != nil {
		return account.XLogin{Next: next}, err
	}
	if l.State != account.Ended || l.AccountID == nil {
		return l, ended{l.Outcome, l.Detail}
	}
	return l, nil
}

// landOn ends on a page with what went wrong, in the words that pages know.
func (a *API) landOn(c *gin.Context, next string, err error) {
	ctx := c.Request.Context()
	if e, ok := errors.AsType[ended](err); ok && e.outcome != "" {
		a.land(c, next, e.outcome, e.detail)
		return
	}
	if problem.CodeOf(err) == problem.TooMany {
		a.land(c, next, account.TooMany, "")
		return
	}
	slog.ErrorContext(ctx, "a login with X failed on our side", "error", err)
	a.land(c, next, account.ServerError, "")
}

// land goes to a page of ours and tells it how the login ended.
func (a *API) land(c *gin.Context, next string, outcome account.Outcome, detail string) {
	to, err := url.Parse(next)
	if err != nil {
		to = &url.URL{Path: afterLogin}
	}
	query := to.Query()
	for _, ours := range []string{"error", "details"} { // the link that began the login must not speak in our name
		query.Del(ours)
	}
	query.Set("auth", "x")
	if outcome != account.LoggedIn {
		query.Set("error", string(outcome))
	}
	if detail != "" {
		query.Set("details", detail)
	}
	to.RawQuery = query.Encode()
	c.Redirect(http.StatusSeeOther, to.String())
}

func orPage(next string) string {
	if next == "" {
		return afterLogin
	}
	return next
}

// sameOriginPath takes a path of ours to return to, and nothing that leads elsewhere:
// browsers read //host, /\host and a tab in between as another site.
func sameOriginPath(next string) string {
	const longest = 500
	clean := strings.HasPrefix(next, "/") && len(next) <= longest && utf8.ValidString(next) &&
		!strings.ContainsFunc(next, misread)
	u, err := url.Parse(next)
	if !clean || err != nil || u.Host != "" || u.Scheme != "" || strings.HasPrefix(next, "//") || strings.HasPrefix(u.Path, "//") {
		return afterLogin
	}
	if strings.ContainsFunc(u.Path, misread) {
		return afterLogin
	}
	return next
}

// misread finds what software on the way could take for something else once it is unescaped.
func misread(r rune) bool { return r < ' ' || r == '\\' || r == 0x7f }
