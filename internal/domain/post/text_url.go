package post

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxURLSize    = 4096
	maxDomainSize = 1024 // bytes; far above the DNS limit, bounds the search
	maxLabelSize  = 63   // of a DNS label in ASCII form
	maxShortSlug  = 40   // of X's own short links
)

// Characters that X accepts in the parts of a URL.
const (
	latinAccents = `\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{24F}\x{253}\x{254}\x{256}\x{257}\x{259}\x{25B}\x{263}\x{268}` +
		`\x{26F}\x{272}\x{289}\x{28B}\x{2BB}\x{300}-\x{36F}\x{1E00}-\x{1EFF}`
	pathEmail  = `a-zA-Z0-9\x{400}-\x{4FF}` + latinAccents
	pathChar   = `[` + pathEmail + `!*';:=+,.$/%#\[\]\-\x{2013}_~@|&]`
	pathNested = `\((?:` + pathChar + `+|` + pathChar + `*\(` + pathChar + `+\)` + pathChar + `*)\)`
	pathEnd    = `[` + pathEmail + `+\-=_#/]`
	pathPart   = `(?:` + pathChar + `*(?:` + pathNested + pathChar + `*)*` + pathEnd + `|` + pathNested + `|@` + pathChar + `+/)`
	queryPart  = `\?[a-zA-Z0-9!?*'@();:&=+$/%#\[\]\-_.,~|]*[a-zA-Z0-9\-_&=#/]`
)

var (
	afterDomain  = regexp.MustCompile(`^(?::[0-9]+)?(/` + pathPart + `*)?(?:` + queryPart + `)?`)
	shortLink    = regexp.MustCompile(`^(?i:https?://t\.co/)([a-zA-Z0-9]+)(?:` + queryPart + `)?`)
	accents      = regexp.MustCompile(`^[` + latinAccents + `]$`)
	domainBreaks = `!'#%&()*+,\-./:;<=>?@[]^_{|}~$` + // punctuation
		"\u0085\u00A0\u1680\u180E\u2028\u2029\u202F\u205F\u3000" + // blanks
		"\uFFFE\uFEFF\uFFFF" + // never part of a text
		"\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069" // directional marks
)

// HasURL reports whether X would link a part of the text.
func HasURL(text string) bool { return len(URLs(text)) > 0 }

// URLs returns the parts of a text that X would link as byte offsets [start, end), in order. ASCII and
// accented Latin domains also count without a scheme.
func URLs(text string) [][2]int {
	var found [][2]int
	for _, c := range candidates(text) {
		found = append(found, c.urls(text)...)
	}
	return found
}

// candidate is a part of the text that looks like a URL.
type candidate struct {
	start, domain, domainEnd, end int
	hasPath                       bool
}

func candidates(text string) []candidate {
	if !strings.Contains(text, ".") {
		return nil
	}
	var found []candidate
	for pos := 0; pos < len(text); {
		if c, ok := candidateAt(text, pos); ok {
			found = append(found, c)
			pos = c.end
			continue
		}
		_, size := utf8.DecodeRuneInString(text[pos:])
		pos += size
	}
	return found
}

// candidateAt matches a URL after the character at pos, or at the beginning of the text.
func candidateAt(text string, pos int) (candidate, bool) {
	r, size := utf8.DecodeRuneInString(text[pos:])
	if mayPrecede(r) {
		if c, ok := candidateFrom(text, pos+size); ok {
			return c, true
		}
	}
	if pos == 0 {
		return candidateFrom(text, 0)
	}
	return candidate{}, false
}

func candidateFrom(text string, start int) (candidate, bool) {
	domain := start + schemeSize(text[start:])
	size := domainSize(text[domain:min(domain+maxDomainSize, len(text))], isDomainRune, true)
	if size == 0 {
		return candidate{}, false
	}
	end := domain + size
	tail := afterDomain.FindStringSubmatchIndex(text[end:min(end+maxURLSize, len(text))])
	return candidate{start: start, domain: domain, domainEnd: end, end: end + tail[1], hasPath: tail[2] >= 0}, true
}

// urls returns the parts of the candidate that X links.
func (c candidate) urls(text string) [][2]int {
	if !plausible(text[c.domain:c.domainEnd]) || c.end-c.start > maxURLSize {
		return nil
	}
	if c.domain == c.start {
		return c.bareURLs(text)
	}
	link := shortLink.FindStringSubmatchIndex(text[c.start:c.end])
	switch {
	case link == nil:
		return [][2]int{{c.start, c.end}}
	case link[3]-link[2] > maxShortSlug:
		return nil
	default:
		return [][2]int{{c.start, c.start + link[1]}}
	}
}

// bareURLs returns the links of a candidate without a scheme: plain domains only, the last with its path.
func (c candidate) bareURLs(text string) [][2]int {
	if c.start > 0 && strings.ContainsRune("-_./", rune(text[c.start-1])) {
		return nil
	}
	found := plainDomains(text[c.domain:c.domainEnd])
	for i := range found {
		found[i][0] += c.domain
		found[i][1] += c.domain
	}
	if c.hasPath && len(found) > 0 {
		found[len(found)-1][1] = c.end
	}
	return found
}

// plainDomains returns the parts of a domain that X links without a scheme.
func plainDomains(domain string) [][2]int {
	var found [][2]int
	for pos := 0; pos < len(domain); {
		if size := domainSize(domain[pos:], isPlainDomainRune, false); size > 0 {
			found = append(found, [2]int{pos, pos + size})
			pos += size
			continue
		}
		_, size := utf8.DecodeRuneInString(domain[pos:])
		pos += size
	}
	return found
}

// schemeSize is the length of a leading http:// or https://.
func schemeSize(text string) int {
	for _, scheme := range []string{"http://", "https://"} {
		if len(text) >= len(scheme) && strings.EqualFold(text[:len(scheme)], scheme) {
			return len(scheme)
		}
	}
	return 0
}

// domainSize is the length of the longest domain at the start of the text: labels and a top-level domain.
// Strict labels neither start nor end with a dash or an underscore, and the last one has no underscore.
func domainSize(text string, inLabel func(rune) bool, strict bool) int {
	best := 0
	for pos := 0; ; {
		size, underscore := labelSize(text[pos:], inLabel, strict)
		if size == 0 {
			return best
		}
		pos += size
		if tld := max(tldSize(text[pos:]), punycodeSize(text[pos:])); tld > 0 && !underscore {
			best = pos + tld
		}
	}
}

// labelSize is the length of the label at the start of the text, including its dot.
func labelSize(text string, inLabel func(rune) bool, strict bool) (size int, underscore bool) {
	last := '-'
	for i, r := range text {
		joins := strict && (r == '-' || r == '_')
		switch {
		case r == '.' && i > 0 && (!strict || last != '-' && last != '_'):
			return i + 1, underscore
		case !inLabel(r) && !joins, joins && i == 0:
			return 0, false
		}
		underscore = underscore || r == '_'
		last = r
	}
	return 0, false
}

func isDomainRune(r rune) bool {
	return r > ' ' && !strings.ContainsRune(domainBreaks, r) && (r < 0x2000 || r > 0x200A)
}

func isPlainDomainRune(r rune) bool {
	return r == '-' || isASCIIAlnum(r) || r >= 0xC0 && accents.MatchString(string(r))
}

func isASCIIAlnum(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// mayPrecede reports whether a URL may directly follow the rune.
func mayPrecede(r rune) bool {
	return !isASCIIAlnum(r) && !strings.ContainsRune("@\uFF20$#\uFF03\uFFFE\uFEFF\uFFFF", r)
}
