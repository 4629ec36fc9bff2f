// Package activities does the work that workflows order: every side effect is here. An
// activity asks a small interface, declared beside it; its key comes from business ids.
// It is safe to repeat, or its comment says that it is tried once and then looked for.
package activities
