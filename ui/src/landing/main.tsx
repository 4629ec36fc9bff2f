import './styles'

import { startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'

import { Landing } from './landing'

const root = document.getElementById('root')
if (root === null) throw new Error('landing.html has no #root')
// The build has rendered the page into landing.html; the development server has not. What is drawn
// already may come to life bit by bit: a slow phone stays ready for its owner meanwhile.
if (root.firstElementChild) startTransition(() => void hydrateRoot(root, <Landing />))
else createRoot(root).render(<Landing />)
