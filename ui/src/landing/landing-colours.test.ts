import { readFileSync } from 'node:fs'

import { DEFAULT_THEME, mergeMantineTheme } from '@mantine/core'
import { expect, test } from 'vitest'

import { cssVariables, theme } from '@/theme'

const css = readFileSync('src/landing/landing.css', 'utf8')
const themed = mergeMantineTheme(DEFAULT_THEME, theme)

/** The style sheet's variables for a scheme, with the library's shades resolved. */
function written(scheme: 'light' | 'dark') {
  const block = css.match(new RegExp(`data-mantine-color-scheme="${scheme}"\\] \\{([^}]*)\\}`))?.[1] ?? ''
  const pairs = [...block.matchAll(/(--[\w-]+): var\(--mantine-color-(\w+)-(\d)\);/g)]
  return Object.fromEntries(pairs.map(([, name, colour = '', shade]) => [name, themed.colors[colour]?.[Number(shade)]]))
}

test.each(['light', 'dark'] as const)('%s: the page has the colours of the app', (scheme) => {
  const app: Record<string, string> = cssVariables(themed)[scheme]
  const page = written(scheme)
  for (const name of ['--mantine-color-dimmed', '--mantine-color-error', '--cz-page']) {
    expect(page[name]).toBeDefined()
    expect(page[name]).toBe(app[name])
  }
})
