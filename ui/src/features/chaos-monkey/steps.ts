import type { Schemas } from '@/api/client'

import { seconds } from './events'

export type Repaired = Schemas['Repaired']

const done: Record<Repaired['kind'], (files: string[]) => string> = {
  restore_files: (files) =>
    files.length === 0 ? 'restored files from the golden copy' : `restored ${list(files)} from the golden copy`,
  restore_database: () => 'restored the database from its last good snapshot',
  restart: () => 'started the process anew',
}

const most = 3

function list(files: string[]) {
  if (files.length <= most) return new Intl.ListFormat('en').format(files)
  return `${files.slice(0, most - 1).join(', ')} and ${files.length - most + 1} other files`
}

/** "restored public/og-image.png from the golden copy, in 12 ms." */
export function stepSentence({ kind, files = [], ms, error }: Repaired) {
  const failed = error !== undefined && error !== ''
  return failed
    ? `tried, for ${seconds(ms)}: ${done[kind](files)}. It did not work: ${error}`
    : `${done[kind](files)}, in ${seconds(ms)}.`
}
