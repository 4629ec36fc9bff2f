import { Badge, Button, type CSSVariablesResolver, createTheme, Modal, Notification } from '@mantine/core'

import { SteadyButton } from '@/components/steady-button'

// The library's default shades miss the contrast of WCAG AA in filled buttons, badges, errors and dimmed
// text. These shades meet it; the browser tests check every page.
export const theme = createTheme({
  respectReducedMotion: true,
  primaryColor: 'indigo',
  primaryShade: 7, // one shade, because autoContrast considers only the light one
  autoContrast: true,
  luminanceThreshold: 0.179, // the luminance at which black and white have the same contrast
  defaultRadius: 'md',
  cursorType: 'pointer',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.75rem' }, h2: { fontSize: '1.25rem' } } },
  components: {
    Badge: Badge.extend({ defaultProps: { tt: 'none', fw: 600 } }),
    Button: Button.extend({ defaultProps: { component: SteadyButton } }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    Modal: Modal.extend({
      defaultProps: {
        // A modal's <header> would count as a second banner landmark.
        attributes: { header: { role: 'presentation' } },
        closeButtonProps: { 'aria-label': 'Close' },
        centered: true,
      },
      styles: { title: { fontWeight: 650 } },
    }),
  },
})

// Outlined badges and alerts use their color for text, so it must be readable.
const written = ['red', 'orange', 'green', 'blue', 'violet', 'indigo', 'gray']

const outlines = (of: (name: string) => string) =>
  Object.fromEntries(written.map((name) => [`--mantine-color-${name}-outline`, of(`var(--mantine-color-${name}`)]))

export const cssVariables: CSSVariablesResolver = (t) => ({
  variables: {},
  light: {
    ...outlines((name) => `color-mix(in srgb, ${name}-9) 78%, black)`),
    '--mantine-color-error': t.colors.red[9],
    '--mantine-color-dimmed': t.colors.gray[7],
    '--cz-page': t.colors.gray[0],
    '--cz-warning': `color-mix(in srgb, ${t.colors.orange[9]} 85%, black)`,
    '--cz-free': t.colors.gray[3],
    '--cz-spent': t.colors.indigo[7],
    '--cz-reserved': t.colors.orange[5],
  },
  dark: {
    ...outlines((name) => `${name}-3)`),
    '--mantine-color-error': t.colors.red[4],
    '--mantine-color-dimmed': t.colors.dark[1],
    '--cz-page': t.colors.dark[8],
    '--cz-warning': t.colors.orange[4],
    '--cz-free': t.colors.dark[4],
    '--cz-spent': t.colors.indigo[4],
    '--cz-reserved': t.colors.orange[4],
  },
})
