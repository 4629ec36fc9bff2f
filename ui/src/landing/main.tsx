import './styles'

import { startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'

import { Landing } from './landing'

const root = document.getElementById('root')
if (root === null) throw new Error('landing.html has no #root')
// The build prerenders the page into landing.html; the development server does not. A transition hydrates
// in small steps, so that a slow phone stays responsive.
if (root.firstElementChild) startTransition(() => void hydrateRoot(root, <Landing />))
else createRoot(root).render(<Landing />)
