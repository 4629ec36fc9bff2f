import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'

import { IconMoon, IconSun } from '@/components/icons'

/** Toggles the color scheme; the browser stores the choice. */
export function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  const other = scheme === 'dark' ? 'light' : 'dark'
  return (
    <ActionIcon variant="default" size={30} aria-label={`Use ${other} colours`} onClick={() => setColorScheme(other)}>
      {scheme === 'dark' ? <IconSun /> : <IconMoon />}
    </ActionIcon>
  )
}
