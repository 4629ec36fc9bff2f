package post

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	emojiLook    = 0xFE0F // asks for the colourful form of the character before it
	textLook     = 0xFE0E
	joiner       = 0x200D
	keycap       = 0x20E3
	blackFlag    = 0x1F3F4
	tagCancel    = 0xE007F
	regionFirst  = 0x1F1E6
	regionLast   = 0x1F1FF
	minJoinBases = 0x203C
)

// emojiSize is the size of the emoji that the text begins with, when it is one that
// counts as a whole though its parts would count otherwise; else 0.
func emojiSize(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == '#' || r == '*' || r >= '0' && r <= '9':
		return keycapSize(text)
	case r >= regionFirst && r <= regionLast:
		return flagSize(text)
	case r == 0xA9 || r == 0xAE:
		if next, n := utf8.DecodeRuneInString(text[size:]); next == emojiLook {
			return size + n
		}
		return 0
	case r < minJoinBases:
		return 0
	default:
		return joinedSize(text)
	}
}

func keycapSize(text string) int {
	rest := strings.TrimPrefix(text[1:], string(rune(emojiLook)))
	if !strings.HasPrefix(rest, string(rune(keycap))) {
		return 0
	}
	return len(text) - len(rest) + len(string(rune(keycap)))
}

// flagSize: two regional letters are a flag only if there is such a region.
func flagSize(text string) int {
	first, size := utf8.DecodeRuneInString(text)
	second, n := utf8.DecodeRuneInString(text[size:])
	if second < regionFirst || second > regionLast {
		return 0
	}
	code := string([]rune{'A' + first - regionFirst, 'A' + second - regionFirst})
	if !flags[code] {
		return 0
	}
	return size + n
}

// joinedSize is the size of an emoji and of those joined to it: a family, a profession.
func joinedSize(text string) int {
	size, whole := elementSize(text)
	end := size
	for whole && strings.HasPrefix(text[end:], string(rune(joiner))) {
		next := end + len(string(rune(joiner)))
		r, _ := utf8.DecodeRuneInString(text[next:])
		n, ok := elementSize(text[next:])
		if !ok || !strings.ContainsRune(joinable, r) {
			break
		}
		end = next + n
	}
	return end
}

// elementSize is the size of one emoji with its skin tone, or with the mark that asks for
// its colourful form. It is whole when it needs no such mark, or has it.
func elementSize(text string) (size int, whole bool) {
	r, size := utf8.DecodeRuneInString(text)
	if r == blackFlag {
		return size + tagsSize(text[size:]), true
	}
	if r < minJoinBases {
		return size, false
	}
	next, n := utf8.DecodeRuneInString(text[size:])
	textual := unicode.Is(textualEmoji, r)
	switch {
	case next >= 0x1F3FB && next <= 0x1F3FF && unicode.Is(tonedEmoji, r):
		return size + n, true
	case next == emojiLook && textual:
		return size + n, true
	default:
		return size, !textual
	}
}

// tagsSize is the size of the invisible letters that make a black flag that of a part of
// a country.
func tagsSize(text string) int {
	for _, part := range []string{"gbeng", "gbsct", "gbwls"} {
		tags := strings.Map(func(r rune) rune { return 0xE0000 + r }, part) + string(rune(tagCancel))
		if strings.HasPrefix(text, tags) {
			return len(tags)
		}
	}
	return 0
}
