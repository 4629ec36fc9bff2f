import type { ReactNode } from 'react'

/**
 * Icons on a 24-pixel grid in the color of the text. They are hidden from screen readers, because text
 * beside them has the same meaning.
 */
function icon(shape: ReactNode) {
  return function Icon({ size = 18 }: { size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={2}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        {shape}
      </svg>
    )
  }
}

export const IconSun = icon(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 3v1M12 20v1M3 12h1M20 12h1M5.6 5.6l.8.8M17.6 17.6l.8.8M5.6 18.4l.8-.8M17.6 6.4l.8-.8" />
  </>,
)
export const IconMoon = icon(<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z" />)
export const IconKey = icon(
  <>
    <circle cx="8" cy="15" r="4.5" />
    <path d="M11.5 11.5 20 3M16.5 6.5l3 3" />
  </>,
)
export const IconExternal = icon(<path d="M13 5h6v6M19 5l-9 9M17 14v5H5V7h5" />)
export const IconCopy = icon(
  <>
    <rect x="9" y="9" width="11" height="11" rx="2" />
    <path d="M15 9V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h3" />
  </>,
)
export const IconCheck = icon(<path d="M5 12.5 10 17.5 19.5 7" />)
export const IconRun = icon(<path d="M3 12h4l3-7 4 14 3-7h4" />)
export const IconClock = icon(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 7.5V12l3 2" />
  </>,
)
export const IconSend = icon(<path d="M20.5 3.5 10.5 13.5M20.5 3.5 14 20.5l-3.5-7-7-3.5z" />)
export const IconCross = icon(<path d="M6.5 6.5l11 11M17.5 6.5l-11 11" />)
export const IconQuestion = icon(
  <>
    <path d="M8.5 8.5a3.5 3.5 0 1 1 5 3.200c-1 .5-1.5 1.200-1.5 2.300" />
    <path d="M12 18.5v.01" />
  </>,
)
export const IconPen = icon(<path d="M4 20h4L19.5 8.5l-4-4L4 16zM13 7l4 4" />)
export const IconSlash = icon(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M6 18 18 6" />
  </>,
)
export const IconRetry = icon(<path d="M19.5 12a7.5 7.5 0 1 1-2.200-5.300L19.5 9M19.5 4v5h-5" />)
export const IconPlus = icon(<path d="M12 5v14M5 12h14" />)
export const IconWarning = icon(<path d="M12 9.5v4M12 17v.01M12 4 2.800 20h18.400z" />)
export const IconPerson = icon(
  <>
    <circle cx="12" cy="8" r="4" />
    <path d="M4.5 20c.7-4 3.8-6 7.5-6s6.8 2 7.5 6" />
  </>,
)
export const IconLogout = icon(<path d="M10 4H5v16h5M15 8l4 4-4 4M19 12H9.5" />)
export const IconMail = icon(
  <>
    <rect x="3.5" y="5.5" width="17" height="13" rx="2" />
    <path d="M4 7l8 6 8-6" />
  </>,
)
export const IconX = icon(<path d="M5 4.5l14 15M19 4.5l-14 15" />)
export const IconDevice = icon(<path d="M4 5h16v11H4zM9 20h6M12 16v4" />)
export const IconProgram = icon(<path d="M8 8l-4 4 4 4M16 8l4 4-4 4M13.5 6l-3 12" />)
export const IconBack = icon(<path d="M14.5 5.5 8 12l6.500 6.500" />)
export const IconForward = icon(<path d="M9.5 5.5 16 12l-6.500 6.500" />)
export const IconPause = icon(<path d="M8.5 5v14M15.5 5v14" />)
export const IconPlay = icon(<path d="M7.5 5v14L19 12z" />)
