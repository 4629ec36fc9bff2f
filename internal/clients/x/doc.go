// Package x is the product's client of X, over X's real wire protocol: OAuth 1.0a and
// API v2. It says what X said, and tells strictly what certainly did not happen from what
// may have happened.
//
// Nothing here tries twice, follows a redirect, or decides what becomes of a post: that is
// for those who can look first. Every error is a *post.XError, or of a login an *account.XError;
// none of them holds a key, a header, or a body as it came.
package x
