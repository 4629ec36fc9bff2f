/** A date, spelled out. */
export function LegalDate({ day }: { day: string }) {
  return <time dateTime={day}>{written.format(new Date(`${day}T00:00:00Z`))}</time>
}

const written = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })
