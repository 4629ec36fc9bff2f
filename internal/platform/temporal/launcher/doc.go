// Package launcher runs the Temporal server of `customerzero up` as a child process, so that
// one command brings up everything, and the product can be killed and restarted while
// its flows go on.
//
// The server itself is a module and a binary of its own, internal/platform/temporal/temporald. This package
// speaks to it only through the SDK and may import nothing of it: it would triple the
// product's binary and tie two sets of dependencies together.
package launcher
