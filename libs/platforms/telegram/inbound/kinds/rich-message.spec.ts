import { readRichMessage } from './rich-message';

const paragraph = (text: unknown) => ({ type: 'paragraph', text });
const many = (length: number, make: () => unknown) => Array.from({ length }, make);
const textOf = (...blocks: unknown[]) => readRichMessage({ blocks }).text;

describe(readRichMessage.name, () => {
  it.each<[string, unknown[], string[]]>([
    [
      'headings, paragraphs and rules as lines',
      [
        { type: 'heading', size: 2, text: 'Order' },
        paragraph(['three ', { type: 'bold', text: 'crates' }]),
        { type: 'divider' },
      ],
      ['Order', 'three crates', '---'],
    ],
    [
      'links with their address',
      [
        paragraph([{ type: 'url', text: { type: 'italic', text: 'invoice' }, url: 'https://a.example/17' }, ' and ']),
        paragraph({ type: 'url', text: 'a.example', url: 'https://a.example/' }),
        paragraph({ type: 'email_address', text: 'write', email_address: 'ada@a.example' }),
        paragraph({ type: 'phone_number', text: '+49 123', phone_number: '+49123' }),
        paragraph(['pay ', { type: 'button', button: { text: 'here', url: 'https://a.example/pay' } }]),
      ],
      [
        'invoice (https://a.example/17) and ',
        'a.example',
        'write (ada@a.example)',
        '+49 123',
        'pay here (https://a.example/pay)',
      ],
    ],
    [
      'what shows words of its own',
      [
        paragraph([
          { type: 'custom_emoji', custom_emoji_id: '5', alternative_text: '🙂' },
          { type: 'mathematical_expression', expression: 'x^2' },
          { type: 'anchor', name: 'top' },
          { type: 'mention', text: '@ada', username: 'ada' },
        ]),
        { type: 'mathematical_expression', expression: 'E = mc^2' },
        { type: 'pre', text: 'a = 1\nb = 2', language: 'python' },
      ],
      ['🙂x^2@ada', 'E = mc^2', 'a = 1', 'b = 2'],
    ],
    [
      'lists, nested and with check boxes',
      [
        {
          type: 'list',
          items: [
            { label: '•', blocks: [paragraph('apples')] },
            { label: '1.', blocks: [paragraph('pears'), { type: 'list', items: [{ blocks: [paragraph('red')] }] }] },
            { value: 3, blocks: [paragraph('plums\nor figs')] },
            { has_checkbox: true, is_checked: true, blocks: [paragraph('paid')] },
            { has_checkbox: true, blocks: [] },
          ],
        },
      ],
      ['- apples', '1. pears', '  - red', '3. plums', '  or figs', '[x] paid', '[ ]'],
    ],
    [
      'tables, a line for each row',
      [
        {
          type: 'table',
          caption: 'Prices',
          cells: [
            [{ text: 'Item', is_header: true }, { text: 'EUR' }],
            [{ text: ['apples ', { type: 'bold', text: 'red' }] }, { text: '3' }],
            [{}, { text: '4' }],
            [{}, {}],
          ],
        },
      ],
      ['Prices', 'Item | EUR', 'apples red | 3', ' | 4'],
    ],
    [
      'quotations with their credit',
      [
        {
          type: 'blockquote',
          blocks: [paragraph('So\nit is'), { type: 'list', items: [{ blocks: [paragraph('a')] }] }],
          credit: 'Ada',
        },
        { type: 'pullquote', text: 'Short' },
      ],
      ['> So', '> it is', '> - a', '> — Ada', '> Short'],
    ],
    [
      'details, footers and rows of buttons',
      [
        { type: 'details', summary: 'More', blocks: [paragraph('hidden')] },
        {
          type: 'buttons',
          buttons: [
            { text: 'Shop', url: 'https://a.example' },
            { text: 'Help', callback_data: 'h' },
          ],
        },
        { type: 'footer', text: 'the end' },
      ],
      ['More', 'hidden', 'Shop (https://a.example)', 'Help', 'the end'],
    ],
    [
      'files and places with their captions',
      [
        { type: 'photo', photo: [{ file_id: 'p' }], caption: { text: 'The gate', credit: 'Ada' } },
        { type: 'voice_note', voice_note: { file_id: 'v' } },
        { type: 'collage', blocks: [{ type: 'video', video: { file_id: 'w' } }], caption: { text: 'All' } },
        { type: 'map', location: { latitude: 1.5, longitude: 2 }, zoom: 3 },
      ],
      ['[photo] The gate', '— Ada', '[voice message]', '[video]', 'All', '[location] 1.5, 2'],
    ],
    [
      'the words of blocks whose type is new',
      [
        { type: 'hologram', text: 'seen' },
        {
          type: 'columns',
          columns: [{ blocks: [paragraph('left')] }, { title: 'right', file_id: 'x', parts: ['end'] }],
        },
        { type: 'hologram_note', file_id: 'h1' },
        'bare',
      ],
      ['seen', 'left', 'right', 'end', '[hologram_note]', 'bare'],
    ],
    [
      'nothing for what is empty',
      [paragraph(''), { type: 'anchor', name: 'a' }, { type: 'list', items: [] }, null, 5],
      [],
    ],
  ])('shows %s', (_, blocks, lines) => {
    expect(textOf(...blocks).split('\n')).toEqual(lines.length > 0 ? lines : ['']);
  });

  it('returns the files in order', () => {
    const photo = [{ file_id: 'p' }];
    const blocks = [
      { type: 'photo', photo },
      { type: 'slideshow', blocks: [{ type: 'video', video: { file_id: 'w' } }] },
    ];
    expect(readRichMessage({ blocks }).files).toEqual([{ photo }, { video: { file_id: 'w' } }]);
  });

  it('accepts any JSON value', () => {
    for (const odd of [
      null,
      undefined,
      5,
      'text',
      [],
      {},
      { blocks: 7 },
      { blocks: { type: 5, items: 3, cells: [4, [5]] } },
    ])
      expect(readRichMessage(odd)).toEqual({ text: '', files: [], mentions: [] });
  });

  const nested = (depth: number, wrap: (inner: unknown) => unknown, core: unknown) => {
    let node = core;
    for (let level = 0; level < depth; level += 1) node = wrap(node);
    return node;
  };
  it.each<[string, () => unknown[]]>([
    [
      'lists in lists',
      () => [nested(50_000, (inner) => ({ type: 'list', items: [{ blocks: [inner] }] }), paragraph('x'))],
    ],
    ['texts in texts', () => [paragraph(nested(50_000, (inner) => ({ type: 'bold', text: inner }), 'x'))]],
    ['arrays in arrays', () => [paragraph(nested(50_000, (inner) => [inner, 'y'], 'x'))]],
    ['a million blocks', () => many(1_000_000, () => paragraph('x'))],
    ['a million empty nodes', () => [paragraph(many(1_000_000, () => []))]],
    [
      'lines in deep quotations',
      () => [nested(39, (inner) => ({ type: 'blockquote', blocks: [inner] }), paragraph('\n'.repeat(1_000_000)))],
    ],
    [
      'a table of a million cells',
      () => [{ type: 'table', cells: many(1_000, () => many(1_000, () => ({ text: 'x' }))) }],
    ],
    ['ten megabytes in one word', () => [paragraph('x'.repeat(10_000_000))]],
    ['long addresses', () => many(5_000, () => paragraph({ type: 'url', text: 'x', url: 'y'.repeat(10_000) }))],
    [
      'a block of a new type that branches',
      () => [nested(16, (inner) => ({ type: 'odd', a: [inner, inner, inner] }), { title: 'x' })],
    ],
  ])('takes less than 50 ms of CPU for %s', (_, blocks) => {
    const message = { blocks: blocks() };
    const runs = [1, 2, 3].map(() => {
      const before = process.cpuUsage();
      const { text } = readRichMessage(message);
      expect(text.length).toBeLessThan(70_000);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    });
    // The first run also compiles the code and collects what is left of making the message.
    expect(Math.min(...runs)).toBeLessThan(50);
  });
});
