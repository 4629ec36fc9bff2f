import { Button, Group, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'

import type { Leave } from '@/lib/leave-for'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'
import { useSecondsLeft } from '@/lib/use-seconds-left'

const patience = 3_000

/** Navigates to the payment page after three seconds, unless the user asks for more time. */
export function Redirect({ url, go }: { url: string; go: Leave }) {
  const [waits, setWaits] = useState(false)
  useEffect(() => {
    if (waits) return
    const timer = setTimeout(() => go(url), patience)
    return () => clearTimeout(timer)
  }, [waits, go, url])
  return (
    <Stack gap="xs">
      {waits ? <Waiting /> : <Countdown />}
      <Group gap="sm">
        <Button component="a" href={url} onClick={() => setWaits(true)}>
          Go to checkout now
        </Button>
        {!waits && (
          <Button variant="default" onClick={() => setWaits(true)}>
            Wait
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function Waiting() {
  const text = useFocusOnMount<HTMLParagraphElement>() // the button that requested it is gone
  return (
    <Text ref={text} tabIndex={-1} style={{ outline: 'none' }}>
      We wait. Go to the checkout when you are ready; the price stays the same for 24 hours.
    </Text>
  )
}

function Countdown() {
  const [until] = useState(() => Date.now() + patience)
  const left = useSecondsLeft(until)
  return (
    <Text role="timer" className="numbers">
      Redirecting to checkout in {left} {left === 1 ? 'second' : 'seconds'}...
    </Text>
  )
}
