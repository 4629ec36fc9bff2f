import { Stack, Text } from '@mantine/core'
import { useState } from 'react'

import { useMay } from '@/api/use-may'
import { FormError } from '@/components/form-error'
import { MembersOnly } from '@/components/founders-only'
import { Section } from '@/components/section'

import { useNeedsApproval } from './composer-approval'
import { ImportHelp } from './import-help'
import { type CsvFile, useImport, usePreview } from './import-queries'
import { ImportResult } from './import-result'
import { ImportSource } from './import-source'

/** Imports posts from a file, after a preview. */
export function ImportPanel({ timezone }: { timezone: string }) {
  const may = useMay()
  return (
    <Section title="Import posts">
      <Stack gap="md">
        <MembersOnly what="import posts" />
        {may.write && <Importer />}
        <ImportHelp timezone={timezone} />
      </Stack>
    </Section>
  )
}

function Importer() {
  const [file, setFile] = useState<CsvFile | null>(null)
  const preview = usePreview()
  const run = useImport()
  const needsApproval = useNeedsApproval()
  const reply = run.data ?? preview.data

  function look(chosen: CsvFile) {
    setFile(chosen)
    run.reset()
    preview.mutate(chosen)
  }
  function again() {
    setFile(null)
    run.reset()
    preview.reset()
  }

  if (file === null || reply === undefined) {
    return (
      <>
        <ImportSource onFile={look} />
        {preview.isPending && <Text role="status">Reading the file…</Text>}
        <FormError error={preview.error} />
      </>
    )
  }
  const importing = { isPending: run.isPending, error: run.error, go: () => run.mutate(file) }
  return (
    <>
      {needsApproval && <Text size="sm">Each of these posts waits until a founder approves it.</Text>}
      <ImportResult name={file.name} reply={reply} importing={importing} onAgain={again} />
    </>
  )
}
