import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'

import { similarQuery } from '@/api/experiments'
import { ExternalLink } from '@/components/external-link'

import classes from './experiments.module.css'
import { troubleOf } from './idea'
import { detailPath } from './names'

const settle = 400

/** Existing experiments with a similar title. A failed search is not reported. */
export function SimilarIdeas({ title }: { title: string }) {
  const [settled] = useDebouncedValue(title.trim(), settle)
  const wanted = isSearchable(title) && isSearchable(settled) ? settled : ''
  const { data } = useQuery(similarQuery(wanted))
  const found = wanted === '' ? [] : (data?.experiments ?? [])
  return (
    <div role="status">
      {found.length > 0 && (
        <>
          <Text size="sm" fw={600} mt={6}>
            Similar experiments
          </Text>
          <ul className={classes.plain}>
            {found.map(({ id, slug, title: theirs }) => (
              <li key={id}>
                <ExternalLink
                  href={detailPath(slug)}
                  size="sm"
                  className="wrap-anywhere"
                  style={{ whiteSpace: 'normal' }}
                >
                  {theirs}
                </ExternalLink>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

const isSearchable = (title: string) => troubleOf('title', title) === null
