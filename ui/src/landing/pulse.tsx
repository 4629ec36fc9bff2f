import classes from './hero.module.css'

// One beat of 112 by 120 around the middle line, at 110.
const beat = 'l10 -16 l12 52 l16 -112 l16 94 l10 -18 h24'

const parts = [
  { look: 'good', path: `M0 110 h56 ${beat} h40`, word: 'Well' },
  { look: 'bad', path: 'M184 110 l10 22 l8 -46 l10 30 l6 -6 h112', word: 'Broken' },
  { look: 'good', path: `M330 110 h30 ${beat} h72`, word: 'Healed' },
]

/** The logo's pulse. It plays once when the button is hovered. */
export function Pulse() {
  return (
    <figure className={classes.pulse}>
      <svg viewBox="0 0 520 190" role="img" aria-label="A pulse that breaks off, and comes back by itself">
        {parts.map(({ look, path }) => (
          <path key={path} d={path} pathLength={1} data-look={look} />
        ))}
      </svg>
      <figcaption>
        {parts.map(({ look, word }) => (
          <span key={word} data-look={look}>
            {word}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}
