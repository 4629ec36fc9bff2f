// Package e2e runs end-to-end tests of posts, e-mails, logins, keys, chaos and experiments: the real Temporal server,
// the real worker, the real clients of X and of mail before their sandboxes, and the real store on both databases. It
// holds tests only, for what a fake or a skipped clock cannot show: signals of the operating system, lost connections,
// lost runs, and whether a secret gets out anywhere. Everything else belongs to faster tests.
//
// With -record it also saves the histories that the replay test of workflows does not have yet: make history.
package e2e
