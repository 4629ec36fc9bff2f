package post

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"mvdan.cc/xurls/v2"
)

// retiredTLDs were removed from the root zone, but X still links them: "turn it.off" contains a URL.
const retiredTLDs = `
	abarth active adac afamilycompany aigo alfaromeo an avianca bananarepublic bl blanco bnl boots bq budapest
	bugatti cancerresearch cartier caseih cbs ceb chloe chrysler cityeats comcast cookingchannel csc dabur dodge
	doha doosan duck duns eh epost esurance etisalat everbank fiat flsmidth foodnetwork frontdoor fujixerox glade
	goodhands guardian hgtv honeywell hoteles htc iinet intel iselect iveco iwc jcp jlc kinder ladbrokes lancia
	lancome liaison linde lixil loft lupin macys maserati mcd mcdonalds meo metlife mf mobily montblanc mopar
	movistar mtpc mutual mutuelle nadex nationwide natura newholland northwesternmutual off oldnavy onyourside
	orientexpress pamperedchef panerai passagens piaget qvc raid rightathome rmit rocher sapo sca scjohnson scor ses
	shaw showtime shriram spiegel spreadbetting srt starhub statoil swiftcover symantec telecity telefonica tiffany
	tp travelchannel uconnect um vista vistaprint volkswagen vuelos warman xfinity xperia zippo اتصالات موبايلي 大众汽车
	工行 手表 珠宝 诺基亚`

// unlinkedTLDs are in the root zone, but X does not link them.
const unlinkedTLDs = `
	amazon kids merck music spa ישראל السعوديه السعودیة السعودیۃ اليمن ايران سوريا پاكستان アマゾン 亚马逊 澳门 臺灣`

const punycodePrefix = "xn--"

var (
	linkedTLDs = tldSet()
	longestTLD = len(slices.MaxFunc(slices.Collect(maps.Keys(linkedTLDs)), func(a, b string) int { return len(a) - len(b) }))
)

func tldSet() map[string]bool {
	set := map[string]bool{}
	for _, tld := range xurls.TLDs {
		set[tld] = true
	}
	for tld := range strings.FieldsSeq(retiredTLDs) {
		set[tld] = true
	}
	for tld := range strings.FieldsSeq(unlinkedTLDs) {
		delete(set, tld)
	}
	return set
}

// tldSize is the length of the top-level domain at the start of the text.
func tldSize(text string) int {
	text = text[:min(len(text), longestTLD+1)] // one more, to see what follows
	for end := tldRun(text); end > 0; end-- {
		if mayFollowTLD(text[end:]) && linkedTLDs[foldDomain(text[:end])] {
			return end
		}
	}
	return 0
}

// tldRun bounds the search for a top-level domain.
func tldRun(text string) int {
	size := strings.IndexFunc(text, func(r rune) bool { return r < utf8.RuneSelf && !isASCIIAlnum(r) })
	if size < 0 {
		size = len(text)
	}
	return min(size, longestTLD)
}

// mayFollowTLD prevents links inside longer words and email addresses.
func mayFollowTLD(rest string) bool {
	return rest == "" || !isASCIIAlnum(rune(rest[0])) && !strings.ContainsRune("@+-", rune(rest[0]))
}

// punycodeSize is the length of a top-level domain in ASCII form. X accepts any.
func punycodeSize(text string) int {
	if len(text) < len(punycodePrefix) || !strings.EqualFold(text[:len(punycodePrefix)], punycodePrefix) {
		return 0
	}
	size := len(punycodePrefix)
	for size < len(text) && (text[size] == '-' || isASCIIAlnum(rune(text[size]))) {
		size++
	}
	if size == len(punycodePrefix) {
		return 0
	}
	return size
}

// foldDomain lowercases a domain, except for the few non-ASCII letters whose lower case is ASCII.
func foldDomain(domain string) string {
	return strings.Map(func(r rune) rune {
		if small := unicode.ToLower(r); r < utf8.RuneSelf || small >= utf8.RuneSelf {
			return small
		}
		return r
	}, domain)
}

// plausible reports whether a domain is valid in the DNS.
func plausible(domain string) bool {
	if strings.HasPrefix(domain, punycodePrefix) && len(plainDomains(domain)) == 0 {
		return false
	}
	for label := range strings.SplitSeq(domain, ".") {
		if len(asciiDomain(label)) > maxLabelSize {
			return false
		}
	}
	return true
}

// asciiDomain converts a domain to its ASCII (Punycode) form.
func asciiDomain(domain string) string {
	ascii, err := idna.Punycode.ToASCII(domain)
	if err != nil {
		return domain
	}
	return ascii
}
