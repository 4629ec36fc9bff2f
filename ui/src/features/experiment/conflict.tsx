import { Alert, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useId } from 'react'

import { CopyText } from '@/components/copy-text'
import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import classes from './experiment.module.css'

/** A field that two people changed. */
export type Clash = { label: string; theirs: string; mine: string }

type Props = {
  title?: string | undefined
  clashes: Clash[]
  also?: string[]
  pending: boolean
  onTheirs: () => void
  onMine: () => void
}

/** Shown when someone else saved first: both versions, for the user to choose. */
export function Conflict({ title = outdated, clashes, also = [], pending, onTheirs, onMine }: Props) {
  const box = useFocusOnMount<HTMLDivElement>()
  return (
    <Alert ref={box} tabIndex={-1} color="orange" variant="outline" title={title}>
      <Stack gap="sm">
        <Text size="sm">Nothing of yours is lost: it still stands in the fields, and is not saved.</Text>
        {clashes.map((clash) => (
          <Sides key={clash.label} of={clash} />
        ))}
        {also.length > 0 && <Text size="sm">They also changed: {also.join(', ')}. That stays as they wrote it.</Text>}
        <Group gap="xs">
          <Button size="sm" variant="default" onClick={onTheirs}>
            See theirs
          </Button>
          <Button size="sm" variant="default" loading={pending} onClick={onMine}>
            Keep mine
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}

const outdated = 'Someone else has changed this.'

function Sides({ of: { label, theirs, mine } }: { of: Clash }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <Side title={`${label}, theirs`} text={theirs} />
      <Side title={`${label}, yours`} text={mine} />
    </SimpleGrid>
  )
}

function Side({ title, text }: { title: string; text: string }) {
  const id = useId()
  return (
    <div>
      <Text id={id} size="sm" fw={650}>
        {title}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable */}
      <figure className={`${classes.side} wrap-anywhere`} aria-labelledby={id} tabIndex={0}>
        {text === '' ? 'Nothing.' : text}
      </figure>
    </div>
  )
}

type KeptProps = { texts: { label: string; text: string }[]; onForget: () => void }

/** The user's text, kept after they chose the other version. */
export function Kept({ texts, onForget }: KeptProps) {
  const box = useFocusOnMount<HTMLDivElement>()
  return (
    <Alert ref={box} tabIndex={-1} color="blue" variant="outline" title="What you had written">
      <Stack gap="sm">
        <Text size="sm">The fields now show theirs. Copy from here what you want to keep.</Text>
        {texts.map(({ label, text }) => (
          <div key={label}>
            <Group justify="space-between">
              <Title order={4} size="sm">
                {label}
              </Title>
              <CopyText text={text} what={label.toLowerCase()} />
            </Group>
            <pre className={`${classes.side} wrap-anywhere`}>{text}</pre>
          </div>
        ))}
        <Group>
          <Button size="sm" variant="default" onClick={onForget}>
            I have what I need
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
