const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const link = /https?:\/\/\S+/gi
const linkWeight = 23
const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u

// X counts these ranges once (Latin, Greek, Cyrillic, common punctuation), all others twice.
const light = (code: number) =>
  code <= 4351 || (code >= 8192 && code <= 8205) || (code >= 8208 && code <= 8223) || (code >= 8242 && code <= 8247)

function weight(grapheme: string) {
  const codes = [...grapheme].map((char) => (light(char.codePointAt(0) ?? 0) ? 1 : 2))
  const sum = codes.reduce<number>((total, one) => total + one, 0)
  return sum > 2 && emoji.test(grapheme) ? 2 : sum
}

/** An estimate of X's weighted length. The server decides: it also detects links without a scheme. */
export function weightedLength(text: string) {
  const links = text.match(link)?.length ?? 0
  let total = links * linkWeight
  for (const { segment } of graphemes.segment(text.normalize('NFC').replace(link, ''))) total += weight(segment)
  return total
}
