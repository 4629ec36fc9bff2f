const named = new Map([
  ['supervisor', 'the supervisor'],
  ['process', 'the process'],
  ['database', 'the database'],
  ['worker', 'the worker'],
])

const kinds: Record<string, string> = { file: 'the file', page: 'the page', api: 'the API' }

/** "the file public/og-image.png" from "file:public/og-image.png". */
export function checkName(check: string) {
  const [kind = '', ...rest] = check.split(':')
  const name = rest.join(':')
  return named.get(check) ?? (kinds[kind] !== undefined && name !== '' ? `${kinds[kind]} ${name}` : check)
}

const list = new Intl.ListFormat('en')

export const checkNames = (checks: string[]) => list.format(checks.map(checkName))
