import { Button, Group, Text } from '@mantine/core'

import classes from './import.module.css'

const columns = [
  ['text', 'The post. The only column that has to be there.'],
  ['scheduled_at', 'When it goes out, as 2027-01-04 09:00. Empty: now.'],
  ['timezone', 'Where that is the time, as Europe/Berlin. Empty: UTC.'],
  ['member', 'Who sponsors it; for founders. Empty: the founders’ share, or you.'],
  ['made_with_ai', 'yes when a model wrote it. Our pages show it.'],
]

/** The columns of the file, and an example. */
export function ImportHelp({ timezone }: { timezone: string }) {
  return (
    <details className={classes.help}>
      <summary>What stands in the columns</summary>
      <dl className={classes.columns}>
        {columns.map(([name, meaning]) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <Text size="sm" mb="xs">
        The first line names the columns, in any order. A text with commas or line breaks stands in double quotes.
      </Text>
      <Group>
        <Button
          component="a"
          size="compact-sm"
          variant="default"
          download="posts.csv"
          href={`data:text/csv;charset=utf-8,${encodeURIComponent(example(timezone))}`}
        >
          Download an example
        </Button>
      </Group>
    </details>
  )
}

const day = 86_400_000

/** Two posts of next week, in the reader's zone. */
function example(timezone: string) {
  const on = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10)
  return [
    'text,scheduled_at,timezone,made_with_ai',
    `"Good morning, shareholders.",${on(7)} 09:00,${timezone},`,
    `"Commas, and ""quotes"", need quotes around them.",${on(8)} 17:30,${timezone},yes`,
    '',
  ].join('\r\n')
}
