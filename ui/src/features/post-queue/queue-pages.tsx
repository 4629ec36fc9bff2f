import { Anchor, Group, Text } from '@mantine/core'
import { Link, useSearchParams } from 'react-router'

import type { Schemas } from '@/api/client'

type Props = { page: number; pagination: Schemas['Pagination'] }

export function QueuePages({ page, pagination }: Props) {
  const [params] = useSearchParams()
  if (page === 1 && !pagination.hasMore) return null
  const pages = Math.max(page, Math.ceil(pagination.total / pagination.limit))
  const to = (target: number) => {
    const next = new URLSearchParams(params)
    next.set('page', String(target))
    return { search: next.toString() }
  }
  return (
    <Group component="nav" aria-label="Pages of the queue" justify="center" gap="md" fz="sm" mt="sm">
      {page > 1 && (
        <Anchor component={Link} to={to(page - 1)} preventScrollReset size="sm">
          Later
        </Anchor>
      )}
      <Text size="sm" c="dimmed" className="numbers">
        Page {page} of {pages}
      </Text>
      {pagination.hasMore && (
        <Anchor component={Link} to={to(page + 1)} preventScrollReset size="sm">
          Earlier
        </Anchor>
      )}
    </Group>
  )
}
