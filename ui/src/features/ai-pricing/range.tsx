import { useId } from 'react'

import classes from './ai-pricing.module.css'

type Props = {
  label: string
  value: number
  text: string
  min: number
  max: number
  step?: number
  disabled: boolean
  onChange: (value: number) => void
}

/** A native range input, which works with keyboards, touch and screen readers. */
export function Range({ label, value, text, min, max, step = 1, disabled, onChange }: Props) {
  const id = useId()
  return (
    <div className={classes.range}>
      <label htmlFor={id}>{label}</label>
      <output htmlFor={id} className="numbers">
        {text}
      </output>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        disabled={disabled}
        aria-valuetext={text}
        onChange={(event) => onChange(event.currentTarget.valueAsNumber)}
      />
    </div>
  )
}
