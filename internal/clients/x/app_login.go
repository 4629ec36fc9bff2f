package x

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
)

// RequestToken begins a login: X will send the person back to the callback. Errors are a
// *account.XError.
func (a *App) RequestToken(ctx context.Context, callback string) (account.RequestToken, error) {
	form, err := a.form(a.askRequestToken(ctx, callback))
	if err != nil {
		return account.RequestToken{}, err
	}
	t := account.RequestToken{Token: form.Get("oauth_token"), Secret: form.Get("oauth_token_secret")}
	if t.Token == "" || t.Secret == "" {
		return account.RequestToken{}, nonsense("it gave no request token")
	}
	if form.Get("oauth_callback_confirmed") != "true" {
		return account.RequestToken{}, nonsense("it did not confirm the callback URL")
	}
	return t, nil
}

// Who ends a login with the verifier that the person brought back, and says who they are.
// What else X grants with it is let go: nobody acts for a person here. Errors are an
// *account.XError.
func (a *App) Who(ctx context.Context, t account.RequestToken, verifier string) (account.XUser, error) {
	form, err := a.form(a.askAccessToken(ctx, t, verifier), t.Token, t.Secret, verifier)
	if err != nil {
		return account.XUser{}, err
	}
	if form.Get("oauth_token") == "" || form.Get("oauth_token_secret") == "" {
		return account.XUser{}, nonsense("it gave no access token")
	}
	who := account.XUser{ID: form.Get("user_id"), Handle: form.Get("screen_name")}
	if !isID(who.ID) || !isHandle(who.Handle) {
		return account.XUser{}, nonsense("it did not say whose access token it gave")
	}
	return who, nil
}

func (a *App) askRequestToken(ctx context.Context, callback string) reply {
	req, err := signRequestToken(a.oauth(), callback)
	if err != nil {
		return reply{err: err}
	}
	return a.send(ctx, a.http, req)
}

func (a *App) askAccessToken(ctx context.Context, t account.RequestToken, verifier string) reply {
	req, err := signAccessToken(a.oauth(), t, verifier)
	if err != nil {
		return reply{err: err}
	}
	return a.send(ctx, a.http, req)
}

// isHandle says whether it is a handle as X itself writes it, without @.
func isHandle(s string) bool {
	name, err := member.ParseUsername(s)
	return err == nil && name == s
}

// form reads the answer of a login's call. The secrets are those of the call, should X
// repeat them.
func (a *App) form(got reply, secrets ...string) (url.Values, error) {
	switch {
	case got.status >= http.StatusInternalServerError:
		return nil, answered(account.TroubleDown, got.status)
	case got.status >= http.StatusBadRequest:
		return nil, a.loginRefused(got, secrets)
	case got.err != nil:
		return nil, &account.XError{Trouble: account.TroubleDown, Status: got.status, Message: lostMessages[lostBecause(got.err)]}
	case got.status/100 != 2:
		return nil, answered(account.TroubleNonsense, got.status)
	}
	form, err := url.ParseQuery(strings.TrimSpace(string(got.body)))
	if err != nil {
		return nil, nonsense("its answer is no form")
	}
	return form, nil
}
