import { Code, Stack, Text } from '@mantine/core'

import { CopyText } from '@/components/copy-text'
import { EmptyState } from '@/components/empty-state'
import { Section } from '@/components/section'
import { plural } from '@/lib/plural'

import classes from './chaos-monkey.module.css'
import { FileRow } from './file-row'
import type { Cell } from './queries'

/** The critical files of the chaos target, as its signed manifest lists them. */
export function Manifest({ cell }: { cell: Cell }) {
  const { files } = cell
  const changed = files.filter(({ ok }) => !ok).length
  return (
    <Section title="The manifest">
      {files.length === 0 ? (
        <EmptyState title="No manifest yet">The supervisor of the chaos target has not been heard of.</EmptyState>
      ) : (
        <Stack gap="sm">
          <Text size="sm" role="status">
            {changed === 0
              ? `All ${plural(files.length, 'critical file')} are as the manifest says.`
              : `${changed} of ${plural(files.length, 'critical file')} differ from the manifest.`}
          </Text>
          <ul className={classes.files} aria-label="Critical files">
            {files.map((file) => (
              <FileRow key={file.name} file={file} />
            ))}
          </ul>
          <Proof cell={cell} />
        </Stack>
      )}
    </Section>
  )
}

function Proof({ cell: { manifest, verifier } }: { cell: Cell }) {
  return (
    <details className={classes.proof}>
      <summary>The signed text, and how to verify it</summary>
      <Stack gap="xs" mt="xs">
        <Text size="sm">
          It is a signed note as Go's checksum database uses it: note.Open of golang.org/x/mod/sumdb/note accepts the
          text with the verifier key below, and nothing else. Then compare the sha256 of what the chaos target serves.
        </Text>
        <Code block role="region" aria-label="The signed manifest" tabIndex={0} className={classes.signed ?? ''}>
          {manifest}
        </Code>
        <div>
          <CopyText text={manifest} what="signed text" />
        </div>
        <Text size="sm">Verifier key</Text>
        <Code className="wrap-anywhere">{verifier}</Code>
        <div>
          <CopyText text={verifier} what="verifier key" />
        </div>
      </Stack>
    </details>
  )
}
