import page from './landing.module.css'
import classes from './story.module.css'

const steps = [
  {
    title: 'You break it',
    text: 'Delete a file, corrupt the worker, break the database: of a copy that runs beside us, and for real.',
  },
  {
    title: 'It notices',
    text: 'A healer that is told nothing sees probes fail. It finds out by itself what is wrong.',
  },
  {
    title: 'It heals, on the record',
    text: 'What broke is restored. Every step is kept in a run that you can open, and so can anybody else.',
  },
]

/** Explains what happens when one of the buttons below is pressed. */
export function Story() {
  return (
    <section className={page.ground} aria-labelledby="story">
      <h2 id="story" className={page.heading}>
        What happens when you press a button
      </h2>
      <ol className={classes.steps}>
        {steps.map(({ title, text }) => (
          <li key={title}>
            <h3>{title}</h3>
            <p>{text}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}
