package auth

import (
	"cmp"
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
	// CallbackPath is the OAuth callback; the X app must list it.
	CallbackPath = "/auth/x/callback"
	// LoginPath starts a login with X.
	LoginPath  = "/auth/x/login"
	afterLogin = "/experiments"
)

// LeaveForX redirects to X's consent page.
func (a *API) LeaveForX(c *gin.Context) {
	c.Header("Cache-Control", httpapi.NoStore)
	next := sameOriginPath(c.Query("next"))
	if to, elsewhere := a.canonicalLogin(c.Request, next); elsewhere {
		c.Redirect(http.StatusSeeOther, to)
		return
	}
	ctx, who := c.Request.Context(), httpapi.CallerOf(c.Request.Context())
	if a.Site.Sandbox && !who.AtHome {
		a.redirect(c, next, account.SandboxOpen, "")
		return
	}
	browser := account.NewToken()
	l := account.XLogin{
		ID: xid.New().String(), BrowserHash: account.Hash(browser), Next: next, Device: who.Device, State: account.RequestingToken,
		CreatedAt: a.Now(), ExpiresAt: a.Now().Add(account.XLoginLife),
	}
	token, err := a.beginXLogin(ctx, l, who.Asker(a.Marks))
	if err != nil {
		a.redirectError(c, next, err)
		return
	}
	cookie := a.Site.Cookie(httpapi.LoginCookie, browser, account.XLoginLife)
	http.SetCookie(c.Writer, &cookie)
	c.Redirect(http.StatusSeeOther, a.Consent(token))
}

// canonicalLogin returns the login URL on the configured host if the request uses another one, because X redirects
// to the configured host, which does not get the other host's cookie. It tries once: a proxy may change the host.
func (a *API) canonicalLogin(r *http.Request, next string) (string, bool) {
	public, err := url.Parse(a.Site.PublicURL)
	if err != nil || public.Host == r.Host || r.URL.Query().Has("moved") {
		return "", false
	}
	return a.Site.PublicURL + LoginPath + "?moved=1&next=" + url.QueryEscape(next), true
}

type loginError struct {
	outcome account.Outcome
	detail  string
}

func (e loginError) Error() string { return string(e.outcome) }

func (a *API) beginXLogin(ctx context.Context, l account.XLogin, asker account.Asker) (token string, err error) {
	if err := a.Accounts.BeginXLogin(ctx, l, asker); err != nil {
		return "", err
	}
	if err := a.Runs.BeginXLogin(ctx, l.ID); err != nil {
		return "", err
	}
	if l, err = a.Accounts.XLogin(ctx, l.ID); err != nil {
		return "", err
	}
	if l.State != account.Redirected {
		return "", loginError{l.Outcome, l.Detail}
	}
	kept, err := a.Accounts.RequestToken(ctx, l.ID)
	return kept.Token, err
}

// ReturnFromX logs in a user whom X redirected back. It works once, and only in the browser that started the login.
func (a *API) ReturnFromX(c *gin.Context) {
	c.Header("Cache-Control", httpapi.NoStore)
	ctx, who := c.Request.Context(), httpapi.CallerOf(c.Request.Context())
	removed := a.Site.Cookie(httpapi.LoginCookie, "", 0)
	http.SetCookie(c.Writer, &removed)

	back, err := readReturn(c.Request.URL.Query(), who.Pending)
	if err != nil {
		a.redirectError(c, afterLogin, err)
		return
	}
	l, err := a.Accounts.BringXLoginBack(ctx, back, a.Now())
	if problem.CodeOf(err) == problem.NotFound {
		a.redirect(c, afterLogin, account.ExpiredToken, "")
		return
	}
	if err == nil {
		l, err = a.finishXLogin(ctx, l)
	}
	if err != nil {
		a.redirectError(c, cmp.Or(l.Next, afterLogin), err)
		return
	}
	cookies, err := a.openFor(ctx, *l.AccountID, account.ByX)
	if err != nil {
		a.redirectError(c, l.Next, err)
		return
	}
	for _, cookie := range cookies {
		http.SetCookie(c.Writer, &cookie)
	}
	a.redirect(c, l.Next, account.LoggedIn, "")
}

func readReturn(query url.Values, browser string) (account.Returned, error) {
	const longest = 200
	for _, name := range []string{"oauth_token", "oauth_verifier", "denied"} {
		if len(query[name]) > 1 { // X sends each parameter once
			return account.Returned{}, loginError{account.InvalidResponse, "no_token"}
		}
	}
	token, verifier := query.Get("oauth_token"), query.Get("oauth_verifier")
	if denied := query.Get("denied"); denied != "" {
		token, verifier = denied, ""
	} else if verifier == "" {
		token = ""
	}
	if token == "" || len(token) > longest || len(verifier) > longest {
		return account.Returned{}, loginError{account.InvalidResponse, "no_token"}
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
		return l, loginError{l.Outcome, l.Detail}
	}
	return l, nil
}

func (a *API) redirectError(c *gin.Context, next string, err error) {
	ctx := c.Request.Context()
	if e, ok := errors.AsType[loginError](err); ok && e.outcome != "" {
		a.redirect(c, next, e.outcome, e.detail)
		return
	}
	if problem.CodeOf(err) == problem.TooMany {
		a.redirect(c, next, account.TooMany, "")
		return
	}
	slog.ErrorContext(ctx, "login with X failed", "error", err)
	a.redirect(c, next, account.ServerError, "")
}

func (a *API) redirect(c *gin.Context, next string, outcome account.Outcome, detail string) {
	to, err := url.Parse(next)
	if err != nil {
		to = &url.URL{Path: afterLogin}
	}
	query := to.Query()
	for _, name := range []string{"error", "details"} { // next must not set our messages
		query.Del(name)
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

// sameOriginPath returns next if it is a path of this site, and the default page otherwise. Browsers read //host,
// /\host and the like as another site.
func sameOriginPath(next string) string {
	const longest = 500
	clean := strings.HasPrefix(next, "/") && len(next) <= longest && utf8.ValidString(next) &&
		!strings.ContainsFunc(next, isAmbiguous)
	u, err := url.Parse(next)
	if !clean || err != nil || u.Host != "" || u.Scheme != "" || strings.HasPrefix(next, "//") || strings.HasPrefix(u.Path, "//") ||
		strings.ContainsFunc(u.Path, isAmbiguous) {
		return afterLogin
	}
	return next
}

// isAmbiguous reports whether browsers or proxies may interpret a character, once unescaped, as a delimiter.
func isAmbiguous(r rune) bool { return r < ' ' || r == '\\' || r == 0x7f }
