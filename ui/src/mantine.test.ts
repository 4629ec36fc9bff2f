import { existsSync, globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const library = 'node_modules/@mantine/core/styles'

const componentsOf = (source: string) =>
  [...source.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  )

test('every component in use has its styles', () => {
  const imported = readFileSync('src/mantine.ts', 'utf8')
  const used = new Set(globSync('src/**/*.tsx').flatMap((file) => componentsOf(readFileSync(file, 'utf8'))))
  const styled = [...used].filter((name) => existsSync(`${library}/${name}.css`))

  expect(styled.length).toBeGreaterThan(10)
  expect(styled.filter((name) => !imported.includes(`/${name}.css`))).toEqual([])
})
