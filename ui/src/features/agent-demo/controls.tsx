import { Button, Group } from '@mantine/core'

type Props = { phase: 'ready' | 'running' | 'paused' | 'complete'; onToggle: () => void; onReset: () => void }

const words = { ready: 'Start', running: 'Pause', paused: 'Go on', complete: 'Start again' } as const

export function Controls({ phase, onToggle, onReset }: Props) {
  return (
    <Group gap="sm">
      <Button onClick={onToggle}>{words[phase]}</Button>
      <Button variant="default" onClick={onReset} disabled={phase === 'ready'}>
        Reset
      </Button>
    </Group>
  )
}
