// Package chaos holds the rules of chaos runs: who may start one, how its probes are kept, what
// verdict they come to, and the score of many runs. Values in, values out.
package chaos
