import classes from './legal.module.css'

const kept = [
  ['Sessions', '30 days after the last visit, or until you log out'],
  ['Login codes', 'They work for 10 minutes; gone a day later'],
  ['Counters that hold back abuse, under a digest of the network address', 'A day after their window ends'],
  ['Visits counted for a price', '30 days after the last visit; the price itself stays, without whose it was'],
  ['Addresses of outgoing e-mails', 'Until the e-mail was sent, or given up'],
  ['Posts, credits, payments', 'As long as the books must be kept; without your name once you have left'],
  ['Histories of runs', '30 days after their end; what they made true stays with its date and their name'],
  ['Screenshots of our own pages', 'Those of the newest 50 runs, and approved ones'],
] as const

export function Retention() {
  return (
    <table className={classes.kept}>
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">How long</th>
        </tr>
      </thead>
      <tbody>
        {kept.map(([what, howLong]) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td>{howLong}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
