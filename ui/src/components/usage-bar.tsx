import { Progress } from '@mantine/core'

type Props = { spent: number; reserved: number; limit: number; what: string }

const percent = (part: number, whole: number) => (whole > 0 ? Math.min(100, (100 * part) / whole) : 0)

/** Shows spent, then reserved, of a limit. Screen readers see one progress bar. */
export function UsageBar({ spent, reserved, limit, what }: Props) {
  const text = reserved > 0 ? `${spent} spent and ${reserved} reserved of ${limit}` : `${spent} of ${limit}`
  return (
    <div
      role="progressbar"
      data-moving
      aria-label={what}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={Math.min(limit, spent + reserved)}
      aria-valuetext={text}
    >
      <Progress.Root size="md" aria-hidden="true" bg="var(--cz-free)">
        <Progress.Section value={percent(spent, limit)} color="var(--cz-spent)" withAria={false} />
        <Progress.Section value={percent(reserved, limit)} color="var(--cz-reserved)" withAria={false} />
      </Progress.Root>
    </div>
  )
}
