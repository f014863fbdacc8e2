import type { Template } from '#client';
import { fieldsOf, isFilled, previewOf } from './template-preview';

const template = {
  name: 'order_update',
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
    { type: 'BODY', text: 'Hello {{name}}, your order is now {{state}}.' },
    { type: 'FOOTER', text: 'The bakery' },
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Follow', url: 'https://example.com/{{1}}' }] },
  ],
  parameters: {
    type: 'object',
    properties: {
      header: { type: 'string' },
      body: { type: 'array', minItems: 2, maxItems: 2, description: '{{name}}, {{state}}' },
      buttons: { type: 'array', minItems: 1, maxItems: 1 },
    },
  },
} as unknown as Template;

describe(previewOf.name, () => {
  it('shows the filled parameters, and placeholders for empty fields', () => {
    expect(fieldsOf(template)).toEqual({ header: 'text', body: ['name', 'state'], buttons: 1 });
    expect(previewOf(template, { header: '4711', body: ['Ada'], buttons: [] })).toEqual({
      text: 'Order 4711\n\nHello Ada, your order is now {{state}}.\n\nThe bakery',
      buttons: ['Follow'],
    });
  });

  it('can be sent when every field is filled', () => {
    expect(isFilled(template, { header: '4711', body: ['Ada', 'ready'], buttons: [' '] })).toBe(false);
    expect(isFilled(template, { header: '4711', body: ['Ada', 'ready'], buttons: ['4711'] })).toBe(true);
  });
});
