import { renderToString } from 'react-dom/server'

import { Landing } from './landing'

/** The page as it is before anything is known, for scripts/prerender.mjs. */
export const render = () => renderToString(<Landing />)
