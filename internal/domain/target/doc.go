// Package target says what a cell is: the replica of the product that chaos breaks in public.
// It holds the names of its files and checks, what a probe saw, and the words that its keeper
// understands. Values only: nothing here reads a file, a clock or the network.
//
// A cell is two processes. The keeper holds the listener, breaks and mends what it is told to,
// and is never broken itself; the replica, its child, serves the pages and can be killed.
package target
