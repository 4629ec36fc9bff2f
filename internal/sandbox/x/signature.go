package x

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // OAuth 1.0a, and X, know no other
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

// encode is RFC 3986's percent-encoding, which OAuth signs over; url.QueryEscape is not.
func encode(s string) string {
	const hexDigits = "0123456789ABCDEF"
	var out strings.Builder
	for _, b := range []byte(s) {
		if isUnreserved(b) {
			out.WriteByte(b)
			continue
		}
		out.Write([]byte{'%', hexDigits[b>>4], hexDigits[b&15]})
	}
	return out.String()
}

func isUnreserved(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || strings.IndexByte("-._~", b) >= 0
}

// parseAuthorization reads an Authorization header of the OAuth scheme. A parameter that
// is there twice, or is not well-formed, spoils it.
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

// parseParam reads one name="value".
func parseParam(pair string) (name, value string, ok bool) {
	name, quoted, ok := strings.Cut(pair, "=")
	if !ok || len(quoted) < 2 || quoted[0] != '"' || quoted[len(quoted)-1] != '"' {
		return "", "", false
	}
	name, nameErr := url.PathUnescape(name)
	value, valueErr := url.PathUnescape(quoted[1 : len(quoted)-1])
	return name, value, nameErr == nil && valueErr == nil
}

// signedParams lists what the signature covers: header, query and form. A parameter that a
// client repeats from the header in the body is covered once: some clients send it twice.
func signedParams(header map[string]string, rest ...url.Values) string {
	var pairs []string
	for name, value := range header {
		if name != "oauth_signature" && name != "realm" {
			pairs = append(pairs, encode(name)+"="+encode(value))
		}
	}
	for _, values := range rest {
		for name, list := range values {
			for _, value := range list {
				if repeated, ok := header[name]; !ok || repeated != value {
					pairs = append(pairs, encode(name)+"="+encode(value))
				}
			}
		}
	}
	slices.SortFunc(pairs, comparePairs)
	return strings.Join(pairs, "&")
}

// comparePairs orders by name, then by value. The pair as a whole will not do: "=" is above
// some of the characters that a name may go on with.
func comparePairs(a, b string) int {
	nameA, valueA, _ := strings.Cut(a, "=")
	nameB, valueB, _ := strings.Cut(b, "=")
	if c := strings.Compare(nameA, nameB); c != 0 {
		return c
	}
	return strings.Compare(valueA, valueB)
}

// sign gives the HMAC-SHA1 signature of a call.
func sign(method, address, params, consumerSecret, tokenSecret string) string {
	mac := hmac.New(sha1.New, []byte(encode(consumerSecret)+"&"+encode(tokenSecret)))
	mac.Write([]byte(method + "&" + encode(address) + "&" + encode(params)))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// signedBase gives a base URL the form that is signed: lower case, without a default port.
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
