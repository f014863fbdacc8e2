import { MAX_TEXT_LENGTH } from '#contracts';

/** Texts like those of people and models, each repeated to the gateway's longest message. */
export const ORDINARY: Readonly<Record<string, string>> = full({
  prose:
    'The gateway takes a message, stores it, and only then says so. What happens next is up to the platform: it may ' +
    'be slow, it may be away. Nothing is lost by that.\n\nA second paragraph, which is rather short.\n\n',
  'a line of prose': 'One line that never ends, as some models write it, with commas, and a stop now and then. ',
  markdown:
    '## A heading\n\n- **one** of _several_ items\n- [two](https://a.example/path_(x)?q=1), with `code`\n\n> A quotation\n\n',
  code: 'Here it is:\n\n```ts\nexport function add(a: number, b: number): number {\n  return a + b;\n}\n```\n\nThat is all.\n\n',
  families: '👨‍👩‍👧‍👦👩🏽‍🚀🇩🇪❤️‍🔥 ',
  'long words': `https://a.example/${'abcdefghij0123456789'.repeat(30)} `,
  Thai: 'ข้อความภาษาไทยไม่มีช่องว่างระหว่างคำและยาวมาก ',
  Chinese: '网关先保存消息，然后才确认。平台可能很慢，也可能不在。',
  HTML: 'A <b>bold</b> word, a <a href="https://a.example/?x=1&amp;y=2">link</a> &amp; <code>a &lt; b</code>.\n',
});

/** Texts that could make a careless splitter or renderer slow. */
export const PATHOLOGICAL: Readonly<Record<string, string>> = full({
  'combining marks': '\u0301',
  'joined emoji': '👩\u200d',
  flags: '🇩🇪',
  backticks: '`',
  'backticks, then a word': '```` a',
  'a fence that never ends': '```ts\n',
  'opening brackets': '[',
  asterisks: '*',
  'openers that close nothing': '*a _b ~~c ',
  'closers that open nothing': 'a* b_ ',
  'links in links': '![a](',
  'open tags': '<b>',
  'tags of code': '<code>',
  'less-than signs': '<',
  ampersands: '&',
  backslashes: '\\',
  'blank lines': '\n',
  'short paragraphs': 'a\n\n',
  quotations: '> a\n',
  'list marks': '- ',
  'white space': ' \t',
  'full stops': '.',
  numbers: '1. ',
  'headings and blanks': '# a \t',
  tildes: '~',
  underscores: '_',
  bars: '|',
  'addresses with underscores': 'https://a_',
  entities: '&#1',
  attributes: '<a href=" ',
  'links in HTML': '<a href="https://a.example/">',
});

function full(units: Record<string, string>): Record<string, string> {
  const texts = Object.entries(units).map(([name, unit]) => {
    const times = Math.ceil(MAX_TEXT_LENGTH / [...unit].length);
    return [name, [...unit.repeat(times)].slice(0, MAX_TEXT_LENGTH).join('')];
  });
  return Object.fromEntries(texts) as Record<string, string>;
}
