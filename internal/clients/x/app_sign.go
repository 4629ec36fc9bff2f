package x

import (
	"errors"
	"net/http"

	"github.com/dghubble/oauth1"

	"customerzero/internal/domain/account"
)

// signRequestToken signs the call that a login begins with.
func signRequestToken(signing oauth1.Config, callback string) (*http.Request, error) {
	signing.CallbackURL = callback
	return signed(signing, func(c *oauth1.Config) error {
		_, _, err := c.RequestToken()
		return err
	})
}

// signAccessToken signs the call that a login ends with.
func signAccessToken(signing oauth1.Config, t account.RequestToken, verifier string) (*http.Request, error) {
	return signed(signing, func(c *oauth1.Config) error {
		_, _, err := c.AccessToken(t.Token, t.Secret, verifier)
		return err
	})
}

// signed lets the library make and sign a call, and takes it away before it is sent: the
// library's calls know no deadline, and throw away what X says.
func signed(signing oauth1.Config, call func(*oauth1.Config) error) (*http.Request, error) {
	var taken unsent
	signing.HTTPClient = &http.Client{Transport: &taken}
	err := call(&signing)
	if taken.request == nil {
		return nil, err
	}
	taken.request.Header.Set("User-Agent", "customerzero")
	taken.request.Header.Set("Accept", "application/json")
	return taken.request, nil
}

var errUnsent = errors.New("signed, and not sent")

// unsent keeps a request instead of sending it.
type unsent struct{ request *http.Request }

func (u *unsent) RoundTrip(r *http.Request) (*http.Response, error) {
	u.request = r
	return nil, errUnsent
}
