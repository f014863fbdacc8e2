import type Anthropic from '@anthropic-ai/sdk';
import { sanitizeText } from '#contracts';
import type { HandOverCall } from './ai-provider.port';

/** The tool's definition for the model. Strict: the API admits only calls that fit the schema. */
export const HAND_OVER = {
  name: 'hand_over',
  description:
    'Hands the conversation over to a human colleague. Call it when a human is asked for, or when you cannot help. Text beside the call is not sent.',
  strict: true,
  input_schema: {
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
} as const satisfies Anthropic.Tool;

/**
 * What the tool adds to the input of a call at most: a token for each byte of its definition, which leaves enough for the
 * instructions that the API adds (350 tokens: https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview#pricing).
 */
export const HAND_OVER_TOKENS = Buffer.byteLength(JSON.stringify(HAND_OVER));

/** Reads a call of the tool. A call that was cut off or does not fit the schema requests a person too. */
export function handOverCall(input: unknown): HandOverCall {
  const { reason, summary } = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  const textOf = (value: unknown) => (typeof value === 'string' ? sanitizeText(value).trim() : '');
  return { reason: textOf(reason), summary: textOf(summary) || textOf(reason) };
}
