import type { Answers } from './queries'

type Words = { ask: string; hint?: string }
type Named<Option extends string> = { options: Record<Option, string> }

type Text = Words & { form: 'text' }
type Choice<Option extends string> = Words & Named<Option> & { form: 'choice' }
type Choices<Option extends string> = Words & Named<Option> & { form: 'choices' }
type Ratings<Option extends string> = Words & Named<Option> & { form: 'ratings' }

// The type of an answer determines the form of its question. A question or option missing from either side
// is a type error.
type QuestionFor<Answer> = [Answer] extends [(infer Option extends string)[]]
  ? Choices<Option>
  : [Answer] extends [object]
    ? Ratings<keyof Answer & string>
    : string extends Answer
      ? Text
      : Choice<Answer & string>

/** The twelve questions, in order. */
const asked: { [Id in keyof Answers]-?: QuestionFor<Exclude<Answers[Id], undefined>> } = {
  vision: {
    form: 'text',
    ask: 'What is your vision for Customer Zero?',
    hint: 'Where would you like it to be in a year?',
  },
  customer_zero_excitement: {
    form: 'text',
    ask: 'What excites you about being Customer Zero?',
    hint: 'You are among the first. Why did you come?',
  },
  project_excitement: {
    form: 'choices',
    ask: 'Which parts of the project excite you?',
    options: {
      audited_posting: 'Posting that anybody can audit',
      self_healing: 'A site that breaks and heals itself',
      fair_pricing: 'Prices that show their reasons',
      public_experiments: 'Experiments in the open',
      ai_verification: 'An AI that checks the site',
    },
  },
  experience_level: {
    form: 'ratings',
    ask: 'How experienced are you?',
    hint: '1 is new to it, 5 is an expert.',
    options: {
      edge_workers: 'Edge workers',
      card_payments: 'Card payments',
      social_media_api: 'Social media APIs',
      ai_llm: 'AI and language models',
    },
  },
  impressive_automation: {
    form: 'text',
    ask: 'What is the most impressive automation you have seen or built?',
  },
  exciting_apis: {
    form: 'text',
    ask: 'Which APIs would you love to build with?',
  },
  ai_future: {
    form: 'text',
    ask: 'What should AI do for people in five years?',
  },
  build_preference: {
    form: 'choice',
    ask: 'How do you like to build?',
    options: {
      ship_small_steps: 'Ship small steps, often',
      plan_first: 'Plan first, then build',
      prove_with_tests: 'Prove every step with tests',
      explore_freely: 'Explore freely and see',
    },
  },
  first_feature: {
    form: 'choice',
    ask: 'Which feature should come first?',
    options: {
      post_calendar: 'A calendar for posts',
      engagement_report: 'A report on what works',
      more_networks: 'More networks than X',
      writing_help: 'Help with writing',
      open_treasury: 'A treasury that everybody can read',
    },
  },
  collaboration_style: {
    form: 'choices',
    ask: 'How would you like to work together?',
    options: {
      building_together: 'Building together',
      written_proposals: 'Writing proposals',
      reviews: 'Reviewing what others make',
      trying_things_out: 'Trying things out early',
      spreading_the_word: 'Spreading the word',
    },
  },
  value_creation: {
    form: 'text',
    ask: 'How could we create value for you and for others?',
  },
  legendary_factor: {
    form: 'text',
    ask: 'What would make this legendary?',
    hint: 'Think big.',
  },
}

export type QuestionId = keyof Answers
export type Question = { id: QuestionId } & (Text | Choice<string> | Choices<string> | Ratings<string>)

export const questions = Object.entries(asked).map(([id, words]) => ({ id, ...words }) as Question)
