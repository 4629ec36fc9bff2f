import { Alert, Button, Group } from '@mantine/core'
import { useState } from 'react'

import { useFocusOnMount } from '@/lib/use-focus-on-mount'

type Props = { dirty: boolean; onClose: () => void }

/** The cancel button of a form. It asks for confirmation before discarding input. */
export function CancelButton({ dirty, onClose }: Props) {
  const [asking, setAsking] = useState(false)
  if (asking && dirty) return <Question onStay={() => setAsking(false)} onLeave={onClose} />
  return (
    <Button variant="default" onClick={() => (dirty ? setAsking(true) : onClose())}>
      Cancel
    </Button>
  )
}

function Question({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const stay = useFocusOnMount<HTMLButtonElement>()
  return (
    <Alert color="orange" variant="outline" title="Throw away what you wrote?">
      <Group gap="xs">
        <Button ref={stay} variant="default" onClick={onStay}>
          Keep writing
        </Button>
        <Button color="red" onClick={onLeave}>
          Throw it away
        </Button>
      </Group>
    </Alert>
  )
}
