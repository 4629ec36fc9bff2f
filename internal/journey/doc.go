// Package journey tests whole journeys of posts: the real Temporal server, the real worker,
// the real client of X before its sandbox, and the real store on both databases. It holds
// tests only, for what a fake or a skipped clock cannot show: signals of the operating
// system, lost connections, lost runs. Everything else belongs to faster tests.
//
// With -record it also saves the histories that the replay test of workflows replays:
// make history.
package journey
