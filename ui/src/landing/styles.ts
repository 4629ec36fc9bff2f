// The library's colors and sizes. The first load contains none of its components.
import '@mantine/core/styles/baseline.css'
import '@mantine/core/styles/default-css-variables.css'
import './landing.css'
