import { Navigate, type RouteObject } from 'react-router'

import { FrontDoor } from './layout/front-door'
import { Layout } from './layout/layout'
import { PageLoading } from './layout/page-loading'
import { RouteError } from './layout/route-error'

/** Every path and its page. Pages are loaded on demand. */
export const routes: RouteObject[] = [
  {
    element: <Layout />,
    errorElement: <RouteError />,
    hydrateFallbackElement: <PageLoading />,
    children: [
      {
        errorElement: <RouteError />, // a failed page keeps the layout
        children: [
          { index: true, element: <FrontDoor /> },
          { path: 'dashboard', lazy: async () => ({ Component: (await import('./pages/dashboard')).DashboardPage }) },
          { path: 'bot-posts', lazy: async () => ({ Component: (await import('./pages/bot-posts')).BotPostsPage }) },
          { path: 'scheduler', lazy: async () => ({ Component: (await import('./pages/scheduler')).SchedulerPage }) },
          {
            path: 'tweet-generator',
            lazy: async () => ({ Component: (await import('./pages/tweet-generator')).TweetGeneratorPage }),
          },
          {
            path: 'bot-operations',
            lazy: async () => ({ Component: (await import('./pages/bot-operations')).BotOperationsPage }),
          },
          { path: 'bot', element: <Navigate to="/bot-operations" replace /> },
          { path: 'members', element: <Navigate to="/bot-operations" replace /> },
          {
            path: 'experiments',
            lazy: async () => ({ Component: (await import('./pages/experiments')).ExperimentsPage }),
          },
          {
            path: 'experiments/:slug',
            lazy: async () => ({ Component: (await import('./pages/experiment')).ExperimentPage }),
          },
          {
            path: 'chaos-monkey',
            lazy: async () => ({ Component: (await import('./pages/chaos-monkey')).ChaosMonkeyPage }),
          },
          { path: 'pricing', lazy: async () => ({ Component: (await import('./pages/pricing')).PricingPage }) },
          {
            path: 'pricing/success',
            lazy: async () => ({ Component: (await import('./pages/pricing-success')).PricingSuccessPage }),
          },
          {
            path: 'pricing/cancelled',
            lazy: async () => ({ Component: (await import('./pages/pricing-cancelled')).PricingCancelledPage }),
          },
          { path: 'ai-pricing', lazy: async () => ({ Component: (await import('./pages/ai-pricing')).AiPricingPage }) },
          { path: 'receipts/:id', lazy: async () => ({ Component: (await import('./pages/receipt')).ReceiptPage }) },
          {
            path: 'chaos-monkey/runs/:id',
            lazy: async () => ({ Component: (await import('./pages/chaos-run')).ChaosRunPage }),
          },
          {
            path: 'ai-verification',
            lazy: async () => ({ Component: (await import('./pages/ai-verification')).AiVerificationPage }),
          },
          {
            path: 'ai-verification/runs/:id',
            lazy: async () => ({ Component: (await import('./pages/verification-run')).VerificationRunPage }),
          },
          { path: 'treasury', lazy: async () => ({ Component: (await import('./pages/treasury')).TreasuryPage }) },
          {
            path: 'credentials',
            lazy: async () => ({ Component: (await import('./pages/credentials')).CredentialsPage }),
          },
          { path: 'auth/signin', lazy: async () => ({ Component: (await import('./pages/sign-in')).SignInPage }) },
          { path: 'auth/claim', lazy: async () => ({ Component: (await import('./pages/claim')).ActivatePage }) },
          { path: 'account', lazy: async () => ({ Component: (await import('./pages/account')).AccountPage }) },
          {
            path: 'unsubscribe',
            lazy: async () => ({ Component: (await import('./pages/unsubscribe')).UnsubscribePage }),
          },
          { path: 'runs', lazy: async () => ({ Component: (await import('./pages/runs')).RunsPage }) },
          { path: 'runs/:id', lazy: async () => ({ Component: (await import('./pages/run')).RunPage }) },
          {
            path: 'agent-demo',
            lazy: async () => ({ Component: (await import('./pages/agent-demo')).AgentDemoPage }),
          },
          { path: 'terms', lazy: async () => ({ Component: (await import('./pages/terms')).TermsPage }) },
          { path: 'privacy', lazy: async () => ({ Component: (await import('./pages/privacy')).PrivacyPage }) },
          { path: 'docs', lazy: async () => ({ Component: (await import('./pages/docs')).DocsPage }) },
          { path: '*', lazy: async () => ({ Component: (await import('./pages/not-found')).NotFoundPage }) },
        ],
      },
    ],
  },
]
