// Sets the color scheme before the first paint. It is a file because the content security policy allows no
// inline script.
;(() => {
  let scheme = 'auto'
  try {
    scheme = localStorage.getItem('mantine-color-scheme-value') || 'auto'
  } catch {
    // Storage is blocked: follow the system.
  }
  if (scheme === 'auto') scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme)
})()
