// Package pages shows what the sandboxes show to people: one look, one head, and answers
// that run no script and load nothing from elsewhere. Each sandbox brings its own pages,
// and a style sheet and an icon of its own.
package pages
