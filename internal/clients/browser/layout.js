;(() => {
  // A page that is being replaced has no elements yet.
  const root = document.documentElement ?? { scrollWidth: 0, scrollHeight: 0 }
  const body = document.body ?? root
  const clamp = (n) => Math.min(Math.max(n, -1e7), 1e7)
  const moving = Array.from(document.querySelectorAll('[data-moving], time')).slice(0, 500)
  return JSON.stringify({
    width: clamp(Math.max(root.scrollWidth, body.scrollWidth)),
    height: clamp(Math.max(root.scrollHeight, body.scrollHeight)),
    left: clamp(window.scrollX),
    top: clamp(window.scrollY),
    moving: moving.map((part) => {
      const box = part.getBoundingClientRect()
      return {
        x: clamp(box.x + window.scrollX),
        y: clamp(box.y + window.scrollY),
        width: clamp(box.width),
        height: clamp(box.height),
      }
    }),
  })
})()
