import type { JsonSchema } from './json-schema';

const self: JsonSchema = { $ref: '#/components/schemas/FieldSchemaDto' };
const list = (items: JsonSchema, description: string): JsonSchema => ({ type: 'array', items, description });

/** The keywords that the catalogue of events uses for a field (`libs/contracts/events.ts`). */
export const FIELD_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'JSON Schema (draft 2020-12) of one field.',
  properties: {
    type: {
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      description: 'Its type, or types.',
      example: 'string',
    },
    format: { type: 'string', description: 'Its format.', example: 'date-time' },
    minimum: { type: 'number', description: 'The smallest number.', example: 0 },
    enum: list({ type: 'string' }, 'The words that it may be.'),
    anyOf: list(self, 'It is one of these.'),
    properties: { type: 'object', additionalProperties: self, description: 'Of an object: its fields.' },
    required: list({ type: 'string' }, 'Of an object: the fields that are always there.'),
    additionalProperties: {
      anyOf: [{ type: 'boolean' }, self],
      description: 'Of an object: whether there are other fields, and of what kind.',
    },
  },
};
