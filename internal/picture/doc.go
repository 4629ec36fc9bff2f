// Package picture measures and compares PNGs. It understands nothing of what they show.
package picture
