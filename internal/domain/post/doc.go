// Package post holds the rules of posts: their states, their texts, their places in a
// month, and how long we wait before we look. Values in, values out: no clock, no I/O.
package post
