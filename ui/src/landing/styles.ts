// Colours and sizes are the library's, as everywhere; none of its components is in the first load.
import '@mantine/core/styles/baseline.css'
import '@mantine/core/styles/default-css-variables.css'
import './landing.css'
