import { Button, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'

import type { Schemas } from '@/api/client'
import { statusQuery } from '@/api/verification'
import { IconRun } from '@/components/icons'

import { fieldTrouble } from './start-trouble'

type Question = Omit<Schemas['NewVerification'], 'wait'>
type Props = { busy: boolean; error: Error | null; onAsk: (question: Question) => void }

const most = 1_000

/** The page to check and an optional prompt. */
export function StartForm({ busy, error, onAsk }: Props) {
  const { data } = useQuery(statusQuery)
  const sites = data?.sites ?? []
  const [page, setPage] = useState('/')
  const [site, setSite] = useState('')
  const [prompt, setPrompt] = useState('')
  const length = [...prompt].length
  const tooLong = length > most ? 'That is too long: ask for less.' : null

  function ask(event: FormEvent) {
    event.preventDefault()
    if (busy || tooLong !== null) return
    onAsk({ url: address(site, page), ...(prompt.trim() !== '' && { prompt: prompt.trim() }) })
  }

  return (
    <form onSubmit={ask} aria-label="New verification">
      <Stack gap="md">
        {sites.length > 1 && (
          <NativeSelect
            label="Site"
            value={site}
            onChange={(event) => setSite(event.currentTarget.value)}
            data={sites.map((origin, index) => ({ value: index === 0 ? '' : origin, label: origin }))}
          />
        )}
        <TextInput
          label="Page to look at"
          description={hint(sites)}
          value={page}
          maxLength={2048}
          autoComplete="off"
          spellCheck={false}
          error={fieldTrouble(error, 'url')}
          onChange={(event) => setPage(event.currentTarget.value)}
        />
        <Textarea
          label="What do you want to know? (one thing a line)"
          description={
            <span className="numbers" {...(tooLong && { style: { color: 'var(--mantine-color-error)' } })}>
              {length}/{most} characters; it may stay empty
            </span>
          }
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          rows={3}
          value={prompt}
          error={tooLong ?? fieldTrouble(error, 'prompt')}
          onChange={(event) => setPrompt(event.currentTarget.value)}
        />
        <div>
          {/* It stays focusable while it cannot be pressed. */}
          <Button type="submit" leftSection={<IconRun size={16} />} aria-disabled={busy} data-disabled={busy}>
            {busy ? 'Verifying…' : 'Start AI Verification'}
          </Button>
        </div>
      </Stack>
    </form>
  )
}

/** Joins a path with the chosen site; a path on our own site, the first, is sent as it is. */
function address(site: string, page: string) {
  const typed = page.trim()
  return site !== '' && (typed === '' || typed.startsWith('/')) ? `${site}${typed}` : typed
}

function hint(sites: string[]) {
  if (sites.length === 0) return 'A path like /pricing, or a whole address of our own.'
  return `A path like /pricing, or a whole address. Only pages of ${sites.join(' and ')} can be looked at.`
}
