;(() => new Promise((tell) => {
  const ready = () => document.fonts.status === 'loaded' && !document.querySelector('[aria-busy="true"]')
  requestIdleCallback(() => tell(JSON.stringify(ready())), { timeout: 500 })
}))()
