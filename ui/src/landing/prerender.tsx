import { renderToString } from 'react-dom/server'

import { Landing } from './landing'

/** Renders the page without data, for scripts/prerender.mjs. */
export const render = () => renderToString(<Landing />)
