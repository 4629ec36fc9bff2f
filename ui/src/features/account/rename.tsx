import { Button, Stack, Text } from '@mantine/core'
import { useRef, useState } from 'react'

import { RenameForm } from './rename-form'

// The pattern of usernames that the server generates for buyers without one.
const madeUp = /^zero_[a-z0-9]{5,10}$/

/** Lets a member change their username. */
export function Rename({ username }: { username: string }) {
  const [changing, setChanging] = useState(false)
  const isMadeUp = madeUp.test(username)
  const place = useRef<HTMLDivElement>(null)

  function close() {
    setChanging(false)
    place.current?.focus()
  }

  return (
    <Stack
      ref={place}
      tabIndex={-1}
      role="group"
      aria-label="Your name"
      gap="xs"
      align="flex-start"
      {...((changing || isMadeUp) && { w: '100%' })}
    >
      {isMadeUp && <Text size="sm">We made this name up for you. Choose your own, as on X, without @.</Text>}
      {changing ? (
        <RenameForm onDone={close} />
      ) : (
        <Button variant="default" size="xs" onClick={() => setChanging(true)}>
          {isMadeUp ? 'Choose your name' : 'Change name'}
        </Button>
      )}
    </Stack>
  )
}
