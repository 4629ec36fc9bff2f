import { Card, Skeleton, Stack, VisuallyHidden } from '@mantine/core'

export function CardSkeletons({ count, height }: { count: number; height: number }) {
  return (
    <Stack gap="md" aria-busy="true">
      <VisuallyHidden>Loading…</VisuallyHidden>
      {Array.from({ length: count }, (_, i) => i).map((i) => (
        <Card key={i} withBorder>
          <Skeleton h={14} w="40%" mb="md" />
          <Skeleton h={height} />
        </Card>
      ))}
    </Stack>
  )
}
