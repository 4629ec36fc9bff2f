import { useEffect, useState } from 'react'

/** Whether the URL requested the preview. The parameter is removed after it was read. */
export function usePreview() {
  const [preview, setPreview] = useState(false)
  useEffect(() => {
    if (takePreview()) setPreview(true)
  }, [])
  return preview
}

function takePreview() {
  const url = new URL(location.href)
  if (url.searchParams.get('customer0') !== 'preview') return false
  url.searchParams.delete('customer0')
  history.replaceState(history.state, '', url)
  return true
}
