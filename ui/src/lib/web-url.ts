/** The URL if it is http or https; any other is not linked. */
export function webURL(address: string | undefined) {
  const url = URL.parse(address ?? '')
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null
}
