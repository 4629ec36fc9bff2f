import { Group, Progress, Text } from '@mantine/core'

import { completed, type Run } from './run'

export function StepProgress({ run }: { run: Run }) {
  const done = completed(run)
  const all = run.steps.length
  return (
    <Group gap="sm" wrap="nowrap">
      <div
        role="progressbar"
        aria-label="Steps passed"
        aria-valuemin={0}
        aria-valuemax={all}
        aria-valuenow={done}
        aria-valuetext={`${done} of ${all}`}
        style={{ flex: 1 }}
      >
        <Progress.Root size="md" aria-hidden="true" bg="var(--cz-free)">
          <Progress.Section value={(100 * done) / all} color="var(--cz-spent)" withAria={false} />
        </Progress.Root>
      </div>
      <Text size="sm" c="dimmed" className="numbers">
        {done}/{all}
      </Text>
    </Group>
  )
}
