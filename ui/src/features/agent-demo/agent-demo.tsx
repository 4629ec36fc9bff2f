import { Stack, Switch } from '@mantine/core'
import { useState } from 'react'

import { Demo } from './demo'
import { Live } from './live'

export function AgentDemo() {
  const [live, turn] = useState(false)
  return (
    <Stack gap="lg">
      <Switch
        label="Live"
        description="Play the newest real run instead of the animation."
        checked={live}
        onChange={(event) => turn(event.currentTarget.checked)}
      />
      {live ? <Live /> : <Demo />}
    </Stack>
  )
}
