import { renderWhatsApp } from './markup';

describe(renderWhatsApp.name, () => {
  const markdown = (text: string, limit = 4_096) => renderWhatsApp(text, 'markdown', limit);
  const html = (text: string) => renderWhatsApp(text, 'html', 4_096);

  it.each([
    ['**bold** and *italic* and ~~gone~~', '*bold* and _italic_ and ~gone~'],
    ['# Title', '*Title*'],
    ['# A **bold** title', '*A bold title*'],
    ['***both***', '_*both*_'],
    ['`a < b`', '`a < b`'],
    ['```ts\nif (a < b) {}\n```', '```\nif (a < b) {}\n```'],
    ['[site](https://a.example/x)', 'site (https://a.example/x)'],
    ['https://a.example', 'https://a.example'],
    ['> quoted\n> twice', '> quoted\n> twice'],
    ['- one\n- two', '- one\n- two'],
    ['a & b < c', 'a & b < c'],
    ['2 * 3 * 4', '2 * 3 * 4'],
  ])('renders markdown %j as %j', (source, rendered) => {
    expect(markdown(source)).toBe(rendered);
  });

  it('closes markup at the end of its line, because WhatsApp markup cannot span lines', () => {
    expect(markdown('**one\ntwo**')).toBe('*one*\n*two*');
  });

  it.each([
    ['<b>bold</b> &amp; <u>plain</u>', '*bold* & plain'],
    ['<a href="https://a.example?a=1&amp;b=2">site</a>', 'site (https://a.example?a=1&b=2)'],
    ['one<br>two', 'one\ntwo'],
    ['<pre>a\nb</pre>', '```\na\nb\n```'],
    ['1 < 2 <unknown>', '1 < 2 <unknown>'],
    ['&#128512;&#xD800;&nope;', '😀&#xD800;&nope;'],
    ["<a href='https://e.example/'>e</a>", 'e (https://e.example/)'],
    ['<constructor>x</constructor> &constructor;', '<constructor>x</constructor> &constructor;'],
    ['&#x27;hi&#x27;&nbsp;a&#55296;b', "'hi'\u00a0a&#55296;b"],
  ])('renders HTML %j as %j', (source, rendered) => {
    expect(html(source)).toBe(rendered);
  });

  it('returns HTML with unbalanced tags unchanged', () => {
    for (const source of ['<b>never closed', 'never opened</i>', '<b><i>crossed</b></i>'])
      expect(html(source)).toBe(source);
  });

  it('returns a text unchanged if its rendering exceeds the limit', () => {
    expect(markdown('**a\nb\nc\nd**', 12)).toBe('**a\nb\nc\nd**');
  });

  it('renders any input to a text that is neither empty nor too long', () => {
    const pieces = [
      'a',
      ' ',
      '\n',
      '*',
      '**',
      '_',
      '~~',
      '`',
      '```',
      '> ',
      '# ',
      '<b>',
      '</b>',
      '<i>',
      '</i>',
      '<pre>',
      '&lt;',
    ];
    let seed = 1;
    const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let run = 0; run < 5_000; run += 1) {
      const source = `x${Array.from({ length: 1 + next(20) }, () => pieces[next(pieces.length)]).join('')}`;
      for (const mode of ['markdown', 'html'] as const) {
        const rendered = renderWhatsApp(source, mode, 64);
        expect(rendered === source || rendered.length <= 64).toBe(true);
        expect(rendered.trim()).not.toBe('');
      }
    }
  });

  it('returns plain text unchanged', () => {
    expect(renderWhatsApp('**a** <b>', 'plain', 4_096)).toBe('**a** <b>');
  });
});
