import { Group, NativeSelect, TextInput } from '@mantine/core'

import type { ExperimentTotals } from '@/api/experiments'

import { longestQuery, sorts } from './filter'
import { StatusNav } from './status-nav'
import { useFilter } from './use-filter'
import { useSearchText } from './use-search-text'

/** The search, the status filter and the order. */
export function Toolbar({ totals }: { totals: ExperimentTotals | undefined }) {
  const { filter, set } = useFilter()
  const search = useSearchText(filter.q, (q) => set({ q }))
  return (
    <Group role="search" aria-label="Experiments" gap="md" align="flex-end" mb="md">
      <TextInput
        type="search"
        label="Search"
        placeholder="Title, problem or hypothesis"
        maxLength={longestQuery}
        style={{ flex: '1 1 14rem' }}
        value={search.text}
        onChange={(event) => search.type(event.currentTarget.value)}
      />
      <NativeSelect
        label="Sort by"
        data={sorts}
        value={filter.sort}
        onChange={(event) =>
          set({ sort: sorts.find(({ value }) => value === event.currentTarget.value)?.value ?? 'newest' })
        }
      />
      <StatusNav active={filter.status} waiting={totals?.waiting} />
    </Group>
  )
}
