import { Button, Group, Stack, Text } from '@mantine/core'
import { useRef } from 'react'
import { useNavigate } from 'react-router'

import { useMay } from '@/api/use-may'
import { MembersOnly } from '@/components/founders-only'
import { TextField } from '@/components/post-text-field'
import { Section } from '@/components/section'
import { weightedLength } from '@/lib/weighted-length'

import { Outcome } from './outcome'
import { usePosting } from './posting'
import { type Draft, isTyped } from './use-draft'

type Props = { draft: Draft; onWrite: (content: string) => void; onSafe: () => void }

const limit = 280

/** The editor for the final text. */
export function Editor({ draft, onWrite, onSafe }: Props) {
  const may = useMay()
  const box = useRef<HTMLDivElement>(null)
  const posting = usePosting(() => {
    onSafe()
    box.current?.querySelector('textarea')?.focus() // the button that had the focus is disabled now
  })
  const { content, source } = draft
  const length = weightedLength(content)
  const unfit = content.trim() === '' || length > limit
  const text = { content, ...(source && { candidateId: source.id }) }
  return (
    <Section title="Your post">
      <Stack gap="md" ref={box}>
        <TextField value={content} onChange={onWrite} />
        <Provenance draft={draft} />
        {may.write && (
          <Group gap="sm">
            <Button disabled={unfit} loading={posting.pending} onClick={() => posting.send(text)}>
              Post now
            </Button>
            <SchedulerButton text={text} disabled={content.trim() === '' || posting.pending} />
          </Group>
        )}
        <MembersOnly what="post" />
        <Outcome post={posting.post} error={posting.error} />
      </Stack>
    </Section>
  )
}

type SchedulerProps = { text: { content: string; candidateId?: string }; disabled: boolean }

function SchedulerButton({ text, disabled }: SchedulerProps) {
  const navigate = useNavigate()
  const hand = () => void navigate('/scheduler', { state: { compose: text } })
  return (
    <Button variant="default" disabled={disabled} onClick={hand}>
      Send to scheduler
    </Button>
  )
}

/** The author that the post will name. */
function Provenance({ draft }: { draft: Draft }) {
  const { source } = draft
  return (
    <Text size="sm" c="dimmed">
      {source === undefined
        ? 'Your own text. Our pages show which model or template wrote a text that you take.'
        : `Made of text ${source.label}, ${isTyped(draft) ? 'edited' : 'not edited'}. Our pages show which model or template wrote it, and whether you edited it.`}
    </Text>
  )
}
