import { Progress } from '@mantine/core'

type Props = { label: string; text: string; value: number; more?: number; of: number; color?: string }

const percent = (part: number, whole: number) => (whole > 0 ? Math.min(100, Math.max(0, (100 * part) / whole)) : 0)

/** A bar with a second segment in another color. `text` describes it. */
export function Meter({ label, text, value, more = 0, of, color = 'var(--cz-spent)' }: Props) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={of}
      aria-valuenow={Math.min(of, value + more)}
      aria-valuetext={text}
    >
      <Progress.Root size="md" aria-hidden="true" bg="var(--cz-free)">
        <Progress.Section value={percent(value, of)} color={color} withAria={false} />
        <Progress.Section value={percent(more, of)} color="var(--cz-reserved)" withAria={false} />
      </Progress.Root>
    </div>
  )
}
