package x

import (
	"crypto/hmac"
	"crypto/sha256"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dghubble/oauth1"
)

const (
	timestampWindow = 5 * time.Minute
	maxBody         = 64 << 10
	formType        = "application/x-www-form-urlencoded"
)

// refusal is an error in the older format.
type refusal struct {
	status, code int
	message      string
}

var (
	errCredentials = &refusal{http.StatusUnauthorized, 32, "Could not authenticate you."}
	errToken       = &refusal{http.StatusUnauthorized, 89, "Invalid or expired token."}
	errTimestamp   = &refusal{http.StatusUnauthorized, 135, "Timestamp out of bounds."}
	errNoSignature = &refusal{http.StatusBadRequest, 215, "Bad Authentication data."}
	errBody        = &refusal{http.StatusRequestEntityTooLarge, 214, "The request body is too large."}
)

// call is a verified request.
type call struct {
	oauth map[string]string // parameters of the header
	query url.Values
	form  url.Values
	body  []byte
	token string
	user  Account // set for access tokens

	// Set by faults.
	hold        time.Duration // delay until a new tweet is visible
	unconfirmed bool          // do not confirm the callback
}

// param returns a parameter from the header, the form or the query, where OAuth clients put it.
func (c call) param(name string) string {
	if value, ok := c.oauth[name]; ok {
		return value
	}
	if c.form.Has(name) {
		return c.form.Get(name)
	}
	return c.query.Get(name)
}

// verify reads a request and verifies its signature. now is X's time; secretOf looks up the tokens that the
// endpoint accepts.
func (s *Server) verify(
	w http.ResponseWriter, r *http.Request, now time.Time, secretOf func(token string) (string, bool),
) (call, *refusal) {
	c, refused := readCall(w, r)
	if refused != nil {
		return call{}, refused
	}
	if c.oauth["oauth_consumer_key"] != s.config.ConsumerKey || c.oauth["oauth_signature_method"] != "HMAC-SHA1" ||
		c.oauth["oauth_version"] != "" && c.oauth["oauth_version"] != "1.0" || c.oauth["oauth_nonce"] == "" {
		return call{}, errCredentials
	}
	if !timely(c.oauth["oauth_timestamp"], now) {
		return call{}, errTimestamp
	}
	secret, known := secretOf(c.token)
	if !known {
		return call{}, errToken
	}
	if !s.signed(r, c, secret) {
		return call{}, errCredentials
	}
	// Last, so that a caller without the secrets cannot use up a nonce.
	if !s.nonces.use(c.token, c.oauth["oauth_timestamp"], c.oauth["oauth_nonce"]) {
		return call{}, errCredentials
	}
	return c, nil
}

// readCall parses a request.
func readCall(w http.ResponseWriter, r *http.Request) (call, *refusal) {
	oauth, ok := parseAuthorization(r.Header.Get("Authorization"))
	if !ok {
		return call{}, errNoSignature
	}
	c := call{oauth: oauth, token: oauth["oauth_token"]}
	var err error
	if c.query, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		return call{}, errNoSignature
	}
	if c.body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
		return call{}, errBody
	}
	// Only forms are signed; a JSON body is not.
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media == formType {
		if c.form, err = url.ParseQuery(string(c.body)); err != nil {
			return call{}, errNoSignature
		}
	}
	return c, nil
}

func timely(timestamp string, now time.Time) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return false
	}
	return now.Sub(time.Unix(seconds, 0)).Abs() <= timestampWindow
}

// signed reports whether the signature is valid for one of the sandbox's base URLs.
func (s *Server) signed(r *http.Request, c call, tokenSecret string) bool {
	own := &url.URL{Scheme: "http", Host: r.Host}
	if r.TLS != nil {
		own.Scheme = "https"
	}
	params := signedParams(c.oauth, c.query, c.form)
	for _, base := range append([]string{signedBase(own)}, s.bases...) {
		want := sign(r.Method, base+r.URL.EscapedPath(), params, s.config.ConsumerSecret, tokenSecret)
		if hmac.Equal([]byte(want), []byte(c.oauth["oauth_signature"])) {
			return true
		}
	}
	return false
}

// nonceMemory is the number of calls remembered at least. Older timestamps are refused, so it only has to
// cover the calls of one timestamp window.
const nonceMemory = 1 << 16

// nonces detects repeated calls. It keeps up to twice size calls in two generations.
type nonces struct {
	mu              sync.Mutex
	size            int
	latest, earlier map[[32]byte]bool
}

func newNonces(size int) *nonces { return &nonces{size: size, latest: map[[32]byte]bool{}} }

// use stores a call and reports whether it is new.
func (n *nonces) use(parts ...string) bool {
	key := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.latest[key] || n.earlier[key] {
		return false
	}
	if len(n.latest) == n.size {
		n.latest, n.earlier = map[[32]byte]bool{}, n.latest
	}
	n.latest[key] = true
	return true
}

// parseAuthorization parses an OAuth Authorization header. A repeated or malformed parameter makes it invalid.
func parseAuthorization(header string) (map[string]string, bool) {
	scheme, list, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "OAuth") {
		return nil, false
	}
	params := map[string]string{}
	for pair := range strings.SplitSeq(list, ",") {
		name, value, ok := parseParam(strings.TrimSpace(pair))
		if _, twice := params[name]; !ok || twice {
			return nil, false
		}
		params[name] = value
	}
	return params, true
}

// parseParam parses one name="value".
func parseParam(pair string) (name, value string, ok bool) {
	name, quoted, ok := strings.Cut(pair, "=")
	if !ok || len(quoted) < 2 || quoted[0] != '"' || quoted[len(quoted)-1] != '"' {
		return "", "", false
	}
	name, nameErr := url.PathUnescape(name)
	value, valueErr := url.PathUnescape(quoted[1 : len(quoted)-1])
	return name, value, nameErr == nil && valueErr == nil
}

// signedParams returns the signed parameters of header, query and form. A parameter that the client repeats
// from the header counts once.
func signedParams(header map[string]string, rest ...url.Values) string {
	var pairs []string
	for name, value := range header {
		if name != "oauth_signature" && name != "realm" {
			pairs = append(pairs, oauth1.PercentEncode(name)+"="+oauth1.PercentEncode(value))
		}
	}
	for _, values := range rest {
		for name, list := range values {
			for _, value := range list {
				if repeated, ok := header[name]; !ok || repeated != value {
					pairs = append(pairs, oauth1.PercentEncode(name)+"="+oauth1.PercentEncode(value))
				}
			}
		}
	}
	// Sort by name, then by value. "=" must sort before every character of a name, so it is compared as a
	// space, which never occurs in an encoded name.
	slices.SortFunc(pairs, func(a, b string) int {
		return strings.Compare(strings.Replace(a, "=", " ", 1), strings.Replace(b, "=", " ", 1))
	})
	return strings.Join(pairs, "&")
}

func sign(method, address, params, consumerSecret, tokenSecret string) string {
	signer := oauth1.HMACSigner{ConsumerSecret: consumerSecret}
	signature, _ := signer.Sign(tokenSecret, method+"&"+oauth1.PercentEncode(address)+"&"+oauth1.PercentEncode(params)) // an HMAC does not fail
	return signature
}

// signedBase returns a base URL as signed: lower case, without a default port.
func signedBase(u *url.URL) string {
	host := strings.ToLower(u.Host)
	switch u.Scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return u.Scheme + "://" + host + strings.TrimRight(u.EscapedPath(), "/")
}
