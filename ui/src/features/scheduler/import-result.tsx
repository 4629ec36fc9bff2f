import { Alert, Anchor, Button, Group, Stack, Switch, Text, Title } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'

import { FormError } from '@/components/form-error'
import { plural } from '@/lib/plural'

import { ImportLines } from './import-lines'
import type { ImportReply } from './import-queries'

type Props = {
  name: string
  reply: ImportReply
  importing: { isPending: boolean; error: Error | null; go: () => void }
  onAgain: () => void
}

/** The result of a preview or an import. */
export function ImportResult({ name, reply, importing, onAgain }: Props) {
  const [onlyTrouble, setOnlyTrouble] = useState(false)
  const heading = useFocusOn(reply.dryRun)
  const written = !reply.dryRun
  const shown = onlyTrouble ? reply.lines.filter(({ outcome }) => outcome !== 'imported') : reply.lines

  return (
    <Stack gap="md">
      <Title order={3} size="h4" ref={heading} tabIndex={-1}>
        {written ? `${plural(reply.imported, 'post')} written` : name}
      </Title>
      <Text role="status">{counts(reply)}</Text>
      <Switch
        label="Only lines with trouble"
        checked={onlyTrouble}
        onChange={(event) => setOnlyTrouble(event.currentTarget.checked)}
      />
      {shown.length > 0 ? (
        <ImportLines lines={shown} written={written} />
      ) : (
        <Text size="sm">{onlyTrouble ? 'No line has trouble.' : 'There is a heading, and no post below it.'}</Text>
      )}
      {importing.error && <Interrupted error={importing.error} />}
      <Group gap="sm">
        {written ? (
          <Anchor component={Link} to="/scheduler?view=week">
            See them in the calendar
          </Anchor>
        ) : (
          <Button disabled={reply.imported === 0} loading={importing.isPending} onClick={importing.go}>
            Import {plural(reply.imported, 'post')}
          </Button>
        )}
        <Button variant="default" onClick={onAgain}>
          Choose another file
        </Button>
      </Group>
    </Stack>
  )
}

function Interrupted({ error }: { error: Error }) {
  return (
    <>
      <FormError error={error} />
      <Alert color="orange" variant="outline">
        Some posts may have been written. Import the file again: what is there is not written twice.
      </Alert>
    </>
  )
}

function counts({ dryRun, imported, refused, duplicates }: ImportReply) {
  const parts = [
    `${plural(imported, 'post')} ${dryRun ? 'will be' : imported === 1 ? 'was' : 'were'} written`,
    refused > 0 && `${plural(refused, 'line')} refused`,
    duplicates > 0 && `${plural(duplicates, 'line')} there already`,
  ]
  return `${parts.filter(Boolean).join(', ')}.`
}

/** Focuses the result when the preview arrives, and again when the import has finished. */
function useFocusOn(dryRun: boolean) {
  const ref = useRef<HTMLHeadingElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a second result is news, too
  useEffect(() => ref.current?.focus(), [dryRun])
  return ref
}
