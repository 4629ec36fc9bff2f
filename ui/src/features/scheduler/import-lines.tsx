import { Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'

import { IconCheck, IconCopy, IconCross } from '@/components/icons'

import classes from './import.module.css'
import type { ImportLine } from './import-queries'

type Style = { word: (written: boolean) => string; color: string; icon: (props: { size?: number }) => ReactNode }

const looks: Record<ImportLine['outcome'], Style> = {
  imported: {
    word: (written) => (written ? 'Written' : 'Will be written'),
    color: 'var(--mantine-color-green-outline)',
    icon: IconCheck,
  },
  refused: { word: () => 'Refused', color: 'var(--mantine-color-error)', icon: IconCross },
  duplicate: { word: () => 'There already', color: 'var(--cz-warning)', icon: IconCopy },
}

type Props = { lines: ImportLine[]; written: boolean }

/** The result of each line: a table, or a list on narrow screens. */
export function ImportLines({ lines, written }: Props) {
  const phone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  return phone ? <List lines={lines} written={written} /> : <Table lines={lines} written={written} />
}

function Table({ lines, written }: Props) {
  return (
    <table className={classes.lines}>
      <thead>
        <tr>
          <th scope="col">Line</th>
          <th scope="col">What happens</th>
          <th scope="col">Text</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.line}>
            <td className="numbers">{line.line}</td>
            <td>
              <Outcome line={line} written={written} />
            </td>
            <td className="wrap-anywhere">{line.content}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function List({ lines, written }: Props) {
  return (
    <ul className={classes.list} aria-label="Lines of the file">
      {lines.map((line) => (
        <li key={line.line}>
          <Text size="sm" c="dimmed" className="numbers">
            Line {line.line}
          </Text>
          <Outcome line={line} written={written} />
          <div className="wrap-anywhere">{line.content}</div>
        </li>
      ))}
    </ul>
  )
}

function Outcome({ line: { outcome, reason }, written }: { line: ImportLine; written: boolean }) {
  const { word, color, icon: Icon } = looks[outcome]
  return (
    <>
      <span className={classes.outcome} style={{ color }}>
        <Icon size={14} /> {word(written)}
      </span>
      {reason && <Text size="sm">{reason}</Text>}
    </>
  )
}
