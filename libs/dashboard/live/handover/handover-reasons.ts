import type { ConversationItem } from '#client';

type Reason = NonNullable<NonNullable<ConversationItem['handover']>['reason']>;

/** Why the gateway asks for a person. */
export const REASONS: Readonly<Record<Reason, string>> = {
  assistant: 'The assistant asked for a person.',
  phrase: 'The person wrote one of the handover phrases.',
  failures: 'Several answers of the assistant failed in a row.',
  refusal: 'The AI provider declined to answer.',
  loop: 'Too many answers in ten minutes: perhaps two machines talk to each other.',
  budget: 'A limit on answers was reached.',
};
