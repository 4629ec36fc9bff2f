/** The address, if it leads to a page on the web: whatever else somebody wrote there is not followed. */
export function webURL(address: string | undefined) {
  const url = URL.parse(address ?? '')
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null
}
