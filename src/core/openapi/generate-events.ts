import { ERROR_EXAMPLES } from './error-responses';
import { exampleOf } from './example-of';
import type { JsonSchema } from './json-schema';

/** What the stream carries beside the envelope and the body of an error. */
export const GENERATE_DELTA: JsonSchema = {
  type: 'object',
  description: 'The data of `event: delta`: the next piece of the answer.',
  required: ['text'],
  properties: { text: { type: 'string', description: 'The piece.', example: 'We open ' } },
};

const DESCRIPTION = `Server-sent events. \`delta\`: the next piece of the answer (\`GenerateDelta\`). \`result\`, the last one: the
envelope, as without streaming (\`GenerateResult\`). \`error\`, the last one where the answer broke off: the body of an error (\`Error\`).`;

/** One event as it is on the wire. */
const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * Adds the streamed form of the answer to `POST /ai/generate`.
 * @param content of the response that has the envelope, whose schema gets a name
 */
export function documentEvents(
  content: Record<string, { schema: JsonSchema; examples?: Record<string, object> }>,
  schemas: Record<string, JsonSchema>,
): void {
  const json = content['application/json']!;
  schemas['GenerateResult'] = json.schema;
  json.schema = { $ref: '#/components/schemas/GenerateResult' };
  const begun = event('delta', { text: 'We open ' });
  const result = event('result', exampleOf(json.schema, schemas));
  content['text/event-stream'] = {
    schema: {
      type: 'string',
      description: DESCRIPTION,
      contentMediaType: 'text/event-stream',
      contentSchema: {
        description: 'The data of one event, as JSON.',
        anyOf: ['GenerateDelta', 'GenerateResult', 'Error'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
      },
    },
    examples: {
      answer: { summary: 'An answer in two pieces', value: begun + event('delta', { text: 'at nine.' }) + result },
      failure: {
        summary: 'An answer that broke off',
        value: begun + event('error', ERROR_EXAMPLES['AI_PROVIDER_ERROR']!.value),
      },
    },
  };
}
