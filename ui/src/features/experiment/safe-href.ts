const allowed = ['http:', 'https:', 'mailto:']

/** Returns the address if a note may link to it, otherwise nothing. */
export function safeHref(address: string) {
  const url = URL.parse(address)
  return url !== null && allowed.includes(url.protocol) ? url.href : ''
}
