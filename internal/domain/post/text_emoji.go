package post

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	emojiLook    = 0xFE0F // selects the emoji form of the character before it
	joiner       = 0x200D
	keycap       = 0x20E3
	blackFlag    = 0x1F3F4
	tagCancel    = 0xE007F
	regionFirst  = 0x1F1E6
	regionLast   = 0x1F1FF
	minJoinBases = 0x203C
)

// emojiSize is the length of an emoji sequence at the start of the text that counts as one although its
// parts would not; otherwise 0.
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

// flagSize matches two regional indicators that form the flag of an existing region.
func flagSize(text string) int {
	first, size := utf8.DecodeRuneInString(text)
	second, n := utf8.DecodeRuneInString(text[size:])
	if second < regionFirst || second > regionLast {
		return 0
	}
	code := string([]rune{'A' + first - regionFirst, 'A' + second - regionFirst})
	if !strings.Contains(regions, code) {
		return 0
	}
	return size + n
}

// joinedSize is the length of an emoji with those joined to it, such as a family or a profession.
func joinedSize(text string) int {
	size, complete := elementSize(text)
	end := size
	for complete && strings.HasPrefix(text[end:], string(rune(joiner))) {
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

// elementSize is the length of one emoji with its skin tone or variation selector. complete is false if
// it lacks a required variation selector.
func elementSize(text string) (size int, complete bool) {
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

// tagsSize is the length of the tag characters that turn a black flag into the flag of a subdivision.
func tagsSize(text string) int {
	for _, part := range []string{"gbeng", "gbsct", "gbwls"} {
		tags := strings.Map(func(r rune) rune { return 0xE0000 + r }, part) + string(rune(tagCancel))
		if strings.HasPrefix(text, tags) {
			return len(tags)
		}
	}
	return 0
}

// regions lists the regions with a flag.
const regions = `
	AC AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY
	BZ CA CC CD CF CG CH CI CK CL CM CN CO CP CR CU CV CW CX CY CZ DE DG DJ DK DM DO DZ EA EC EE EG EH ER ES ET EU
	FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU IC ID IE IL IM IN
	IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG
	MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL
	PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TA TC TD
	TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM UN US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW`

// joinable lists the emoji that may follow a joiner: professions, hair, gender signs, family members and
// the like.
const joinable = "♀♂⚕⚖✈⚧☠❤❄⬛➡↔↕🌈🌫🌾🍳🍼🎄🎓🎤🎨🏫🏭👦👧👨👩💋💥💨💫💻💼🔥🔧🔬🗨🚀🚒🟩🟫🤝" +
	"🦯🦰🦱🦲🦳🦺🦼🦽🧑🧒🩰🩹🫲"

// tonedEmoji lists the emoji that accept a skin tone.
var tonedEmoji = runeRanges(`
	261D 26F9 270A-270D 1F385 1F3C2-1F3C4 1F3C7 1F3CA-1F3CC 1F442-1F443 1F446-1F450 1F466-1F469 1F46B-1F478 1F47C
	1F481-1F483 1F485-1F487 1F48F 1F491 1F4AA 1F574-1F575 1F57A 1F590 1F595-1F596 1F645-1F647 1F64B-1F64F 1F6A3
	1F6B4-1F6B6 1F6C0 1F6CC 1F90C 1F90F 1F918-1F91F 1F926 1F930-1F939 1F93C-1F93E 1F977 1F9B5-1F9B6 1F9B8-1F9B9
	1F9BB 1F9CD-1F9CF 1F9D1-1F9DD 1FAC3-1FAC5 1FAF0-1FAF8`)

// textualEmoji lists the characters that display as text unless a variation selector follows.
var textualEmoji = runeRanges(`
	203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 23CF 23ED-23EF 23F1-23F2 23F8-23FA 24C2 25AA-25AB 25B6
	25C0 25FB-25FE 2600-2604 260E 2611 2614-2615 2618 261D 2620 2622-2623 2626 262A 262E-262F 2638-263A 2640 2642
	2648-2653 265F-2660 2663 2665-2666 2668 267B 267E-267F 2692-2697 2699 269B-269C 26A0-26A1 26A7 26AA-26AB
	26B0-26B1 26BD-26BE 26C4-26C5 26C8 26CF 26D1 26D3-26D4 26E9-26EA 26F0-26F5 26F7-26FA 26FD 2702 2708-2709
	270C-270D 270F 2712 2714 2716 271D 2721 2733-2734 2744 2747 2757 2763-2764 27A1 2934-2935 2B05-2B07 2B1B-2B1C
	2B50 2B55 3030 303D 3297 3299 1F004 1F170-1F171 1F17E-1F17F 1F202 1F21A 1F22F 1F237 1F321 1F324-1F32C 1F336
	1F37D 1F396-1F397 1F399-1F39B 1F39E-1F39F 1F3CB-1F3CE 1F3D4-1F3DF 1F3F3 1F3F5 1F3F7 1F43F 1F441 1F4FD
	1F549-1F54A 1F56F-1F570 1F573-1F579 1F587 1F58A-1F58D 1F590 1F5A5 1F5A8 1F5B1-1F5B2 1F5BC 1F5C2-1F5C4
	1F5D1-1F5D3 1F5DC-1F5DE 1F5E1 1F5E3 1F5E8 1F5EF 1F5F3 1F5FA 1F6CB 1F6CD-1F6CF 1F6E0-1F6E5 1F6E9 1F6F0 1F6F3`)

// runeRanges parses hexadecimal code points and ranges, in ascending order.
func runeRanges(list string) *unicode.RangeTable {
	table := &unicode.RangeTable{}
	for field := range strings.FieldsSeq(list) {
		from, to, isRange := strings.Cut(field, "-")
		if !isRange {
			to = from
		}
		table.R32 = append(table.R32, unicode.Range32{Lo: hexRune(from), Hi: hexRune(to), Stride: 1})
	}
	return table
}

func hexRune(digits string) uint32 {
	value, err := strconv.ParseUint(digits, 16, 32)
	if err != nil {
		panic(err) // a typo in the lists above
	}
	return uint32(value)
}
