;(() => {
  const seen = (part) =>
    part.checkVisibility({ visibilityProperty: true }) &&
    !part.closest('[aria-hidden="true"]') &&
    Array.from(part.getClientRects()).some((box) => box.width > 0 && box.height > 0)
  const any = (selector, fits = () => true) =>
    Array.from(document.querySelectorAll(selector)).filter((part) => fits(part) && seen(part))
  // An explicit role overrides the element's own.
  const plain = (part) => !part.hasAttribute('role')
  // A header or footer inside one of these is not the page's.
  const inner = 'article, aside, main, nav, section, [role="article"], [role="complementary"], [role="main"], [role="navigation"], [role="region"]'
  const own = (part) => plain(part) && !part.parentElement?.closest(inner)
  const there = {
    banner: any('[role="banner"]').length || any('header', own).length,
    navigation: any('[role="navigation"]').length || any('nav', plain).length,
    main: any('[role="main"]').length || any('main', plain).length,
    contentinfo: any('[role="contentinfo"]').length || any('footer', own).length,
  }
  return JSON.stringify({
    title: document.title.slice(0, 1000),
    landmarks: Object.keys(there).filter((name) => there[name] > 0),
    headings: any('h1', plain).length + any('[role="heading"][aria-level="1"]').length,
    text: TEXT ? (document.body?.innerText ?? '').slice(0, 4096) : '',
  })
})()
