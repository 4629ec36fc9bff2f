import { useId } from 'react'

import classes from './choice.module.css'

type Props<T extends string> = {
  label: string
  options: { value: T; label: string }[]
  value: T
  onChange: (value: T) => void
}

/** A group of radio buttons, moved between with the arrow keys. */
export function Choice<T extends string>({ label, options, value, onChange }: Props<T>) {
  const name = useId()
  return (
    <fieldset className={classes.choice}>
      <legend>{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}
