const allowed = ['http:', 'https:', 'mailto:']

/** An address that may stand in a note, as its author meant it; every other becomes nothing. */
export function safeHref(address: string) {
  const url = URL.parse(address)
  return url !== null && allowed.includes(url.protocol) ? url.href : ''
}
