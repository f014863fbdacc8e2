import type { PlatformTemplate } from '#platforms';
import { leastCpuOf, LONGEST_MS } from '../../../test/support/least-cpu';
import { fillTemplate, parameterSchema, TemplateFault } from './template-parameters';

const template = (
  components: PlatformTemplate['components'],
  parameterFormat: PlatformTemplate['parameterFormat'] = 'POSITIONAL',
) => ({ name: 'order', language: 'en_US', parameterFormat, components });

const ORDER = template([
  { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
  { type: 'BODY', text: 'Hello {{1}}, {{2}} is on its way. Thank you, {{1}}!' },
  { type: 'FOOTER', text: 'Ada & Sons' },
  {
    type: 'BUTTONS',
    buttons: [
      { type: 'QUICK_REPLY', text: 'Stop' },
      { type: 'URL', text: 'Follow', url: 'https://example.com/{{1}}' },
      { type: 'COPY_CODE', text: 'Copy' },
    ],
  },
]);

describe(fillTemplate.name, () => {
  it('fills header, body and buttons, and renders the text', () => {
    expect(fillTemplate(ORDER, { header: '4711', body: ['Ada', 'bread'], buttons: ['4711', 'SAVE10'] })).toEqual({
      content: 'Order 4711\n\nHello Ada, bread is on its way. Thank you, Ada!\n\nAda & Sons',
      message: {
        name: 'order',
        language: 'en_US',
        components: [
          { type: 'header', parameters: [{ type: 'text', text: '4711' }] },
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'Ada' },
              { type: 'text', text: 'bread' },
            ],
          },
          { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: '4711' }] },
          {
            type: 'button',
            sub_type: 'copy_code',
            index: '2',
            parameters: [{ type: 'coupon_code', coupon_code: 'SAVE10' }],
          },
        ],
      },
    });
  });

  it('accepts named parameters in the order of the template', () => {
    const components = [
      { type: 'HEADER', format: 'TEXT', text: 'On {{day}}' },
      { type: 'BODY', text: '{{time}}, {{name}}: {{time}}?' },
    ];
    const { content, message } = fillTemplate(template(components, 'NAMED'), {
      header: 'Monday',
      body: ['ten', 'Ada'],
    });
    expect(content).toBe('On Monday\n\nten, Ada: ten?');
    expect(message.components).toEqual([
      { type: 'header', parameters: [{ type: 'text', parameter_name: 'day', text: 'Monday' }] },
      {
        type: 'body',
        parameters: [
          { type: 'text', parameter_name: 'time', text: 'ten' },
          { type: 'text', parameter_name: 'name', text: 'Ada' },
        ],
      },
    ]);
  });

  it('accepts the URL of a file as the parameter of a media header', () => {
    const photo = template([
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Look' },
    ]);
    expect(fillTemplate(photo, { header: 'https://example.com/a.png' }).message.components).toEqual([
      { type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/a.png' } }] },
    ]);
    expect(() => fillTemplate(photo, { header: 'a.png' })).toThrow(TemplateFault);
  });

  it.each([
    [{ body: ['a', 'b'], buttons: ['a', 'b'] }, 'header is required by this template'],
    [{ header: '1', body: ['a'], buttons: ['a', 'b'] }, 'body must have 2 items, as the template requires'],
    [{ header: '1', body: ['a', 'b'] }, 'buttons must have 2 items, as the template requires'],
  ])('refuses %j', (parameters, message) => {
    expect(() => fillTemplate(ORDER, parameters)).toThrow(message);
  });

  it('keeps dollar signs of a parameter', () => {
    expect(fillTemplate(template([{ type: 'BODY', text: 'Pay {{1}}' }]), { body: ['$& $1'] }).content).toBe(
      'Pay $& $1',
    );
  });
});

describe(parameterSchema.name, () => {
  it('describes the parameters that a template requires', () => {
    expect(parameterSchema(ORDER)).toMatchObject({
      required: ['header', 'body', 'buttons'],
      properties: { body: { minItems: 2, maxItems: 2, description: '{{1}}, {{2}}' }, buttons: { minItems: 2 } },
    });
    expect(parameterSchema(template([{ type: 'BODY', text: 'Hello' }]))).toEqual({
      type: 'object',
      properties: {},
      required: [],
      additionalProperties: false,
    });
  });
});

it.each(['{', '{{ ', '{{1', '{{1}}', '{{ 1 }}', '}}'])(
  'a template of %s takes less than 50 ms of CPU',
  async (unit) => {
    const full = template([{ type: 'BODY', text: unit.repeat(16_384 / unit.length) }]);
    const body = 'body' in (parameterSchema(full)['properties'] as object) ? ['{{1}}'.repeat(204)] : [];
    expect(await leastCpuOf(() => fillTemplate(full, { body }))).toBeLessThan(LONGEST_MS);
  },
);
