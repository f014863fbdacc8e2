import { sanitizeText } from '#contracts';
import type { AiCompletion, AiTool } from '../provider/ai-provider.port';

/** The tool by which the model requests a person instead of answering: text beside the call is not sent. */
export const HAND_OVER: AiTool = {
  name: 'hand_over',
  description:
    'Hands the conversation over to a human colleague. Call it when a human is asked for, or when you cannot help. Text beside the call is not sent.',
  strict: true,
  parameters: {
    type: 'object',
    properties: {
      reason: { type: 'string', description: 'Why, in a few words.' },
      summary: {
        type: 'string',
        description: 'What the colleague needs to know, in a few sentences.',
      },
    },
    required: ['reason', 'summary'],
    additionalProperties: false,
  },
};

/** The input of a call of `hand_over`. */
export interface HandOverCall {
  reason: string;
  summary: string;
}

/**
 * Reads the answer's call of the tool; undefined if there is none. A call that was cut off or does not fit the schema requests a
 * person too.
 */
export function handOverOf({ toolCalls = [] }: Pick<AiCompletion, 'toolCalls'>): HandOverCall | undefined {
  const call = toolCalls.find(({ name }) => name === HAND_OVER.name);
  if (!call) return undefined;
  const { arguments: input } = call;
  const { reason, summary } = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  const textOf = (value: unknown) => (typeof value === 'string' ? sanitizeText(value).trim() : '');
  return { reason: textOf(reason), summary: textOf(summary) || textOf(reason) };
}
