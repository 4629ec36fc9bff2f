import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, useState } from 'react'

import { useMay } from '@/api/use-may'
import { MembersOnly } from '@/components/founders-only'

import { FactField, VoiceField, WriterField } from './choice-fields'
import type { Choices, Question } from './queries'

type Props = { choices: Choices; busy: boolean; onAsk: (question: Question) => void }

/** The prompt for the models. */
export function QuestionForm({ choices, busy, onAsk }: Props) {
  const [prompt, setPrompt] = useState('')
  const [voice, setVoice] = useState(choices.voices[0]?.id ?? '')
  const [models, setModels] = useState([...choices.models, ...choices.templates].slice(0, 1))
  const [context, setContext] = useState<string[]>([])
  const [noModel, setNoModel] = useState(false)
  const may = useMay()

  function ask(event: FormEvent | KeyboardEvent) {
    event.preventDefault()
    if (busy || !may.write || prompt.trim() === '') return
    setNoModel(models.length === 0)
    if (models.length > 0) onAsk({ prompt: prompt.trim(), voice, models, context })
  }

  return (
    <form onSubmit={ask} onKeyDown={(event) => isSend(event) && ask(event)}>
      <Stack gap="lg">
        <Textarea
          label="What should it be about?"
          rows={2}
          maxLength={500}
          value={prompt}
          onChange={(event) => setPrompt(event.currentTarget.value)}
        />
        <VoiceField voices={choices.voices} value={voice} onChange={setVoice} />
        <WriterField
          models={choices.models}
          templates={choices.templates}
          value={models}
          error={noModel && models.length === 0 ? 'Please select at least one AI model' : null}
          onChange={setModels}
        />
        <FactField facts={choices.facts} value={context} onChange={setContext} />
        {may.write && <GenerateButton busy={busy} disabled={prompt.trim() === ''} />}
        <MembersOnly what="have texts written" />
      </Stack>
    </form>
  )
}

const isSend = (event: KeyboardEvent) => event.key === 'Enter' && (event.ctrlKey || event.metaKey)

// It is not disabled while it works, because that would lose the focus.
function GenerateButton({ busy, disabled }: { busy: boolean; disabled: boolean }) {
  return (
    <Group gap="sm">
      <Button type="submit" disabled={disabled} {...(busy && { 'aria-disabled': true, 'data-disabled': true })}>
        {busy ? 'Generating…' : 'Generate'}
      </Button>
      <Text size="sm" c="dimmed">
        or Ctrl+Enter, ⌘+Enter on a Mac
      </Text>
    </Group>
  )
}
