// Package screenshot measures and compares PNGs. It understands nothing of what they show.
package screenshot
