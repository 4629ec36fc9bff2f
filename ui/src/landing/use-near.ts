import { type RefObject, useEffect, useState } from 'react'

/** Whether a part is near the viewport or the keyboard focus. It stays true once it was. */
export function useNear(part: RefObject<Element | null>) {
  const [near, setNear] = useState(false)
  useEffect(() => {
    if (near || part.current === null) return
    const come = () => setNear(true)
    if (!('IntersectionObserver' in window)) return come()
    const observer = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && come(), {
      rootMargin: '240px 0px',
    })
    const tab = ({ key }: KeyboardEvent) => key === 'Tab' && come()
    observer.observe(part.current)
    window.addEventListener('keydown', tab)
    return () => {
      observer.disconnect()
      window.removeEventListener('keydown', tab)
    }
  }, [near, part])
  return near
}
