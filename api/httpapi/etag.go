package httpapi

import (
	"context"
	"strings"
)

// NoStore is the cache policy of what depends on the caller, and of what happens by being requested.
const NoStore = "no-store"

// KeepFor says how long an answer to anybody may be kept. One to somebody who is known may
// renew their cookie, and is kept by nobody.
func KeepFor(ctx context.Context, anybody string) string {
	if who := CallerOf(ctx); who.Login != nil || who.Browser != nil || who.Key {
		return NoStore
	}
	return anybody
}

// Matches says whether a reader has what an ETag names; the header may list many, or all.
func Matches(ifNoneMatch, etag string) bool {
	for one := range strings.SplitSeq(ifNoneMatch, ",") {
		if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == etag || one == "*" {
			return true
		}
	}
	return false
}
