import { assert, constantFrom, property, string } from 'fast-check';
import { escapeMarkup, escapeText } from './escape';
import { htmlToMarkdown } from './html-markdown';
import { MAX_LENGTH, partsOf, render } from './rendering';

describe(escapeMarkup.name, () => {
  it.each([
    ['a < b & **c**', String.raw`a < b & \*\*c\*\*`],
    ['# not a heading\n- nor a list\n> nor a quote', '\\# not a heading\n\\- nor a list\n\\> nor a quote'],
    ['1. one\nsection 1. stays', '1\\. one\nsection 1. stays'],
    ['hi <@123> and <#4> and <t:5>', String.raw`hi \<@123> and \<#4> and \<t:5>`],
    ['[text](address)', String.raw`\[text\](address)`],
    ['back\\slash ||spoiler|| `code`', 'back\\\\slash \\|\\|spoiler\\|\\| \\`code\\`'],
  ])('makes Discord show %j literally', (text, escaped) => {
    expect(escapeMarkup(text)).toBe(escaped);
  });

  it('leaves URLs alone, because a backslash would break them', () => {
    expect(escapeMarkup('see https://a.example/foo_bar_*x* _now_')).toBe(
      String.raw`see https://a.example/foo_bar_*x* \_now\_`,
    );
  });
});

describe.each([escapeMarkup, escapeText])('%p', (escape) => {
  it.each([' ', '\t ', '1', '# ', '* ', '1. '])('escapes a long text of %j quickly', (unit) => {
    // V8 compiles a pattern when it is used again, and only what is compiled looks back from each character.
    for (let round = 0; round < 3; round += 1) escape('*'.repeat(10_000));
    const before = process.cpuUsage();
    escape(unit.repeat(16_384 / unit.length));
    expect(process.cpuUsage(before).user).toBeLessThan(100_000);
  });
});

describe(escapeText.name, () => {
  it.each([
    'test_message_1',
    'email_me@x_y.com',
    '{"a_b": "c", "d": ["e"]}',
    'a * b * c',
    'user [ok] [1]',
    '~5 km | 3~4',
    '-5 degrees\n#tag\n3.5 million',
    'a_b https://a.example/c_d',
    '<https://a.example/_x_>',
  ])('leaves %j unescaped, because Discord reads no markup in it', (text) => {
    expect(escapeText(text)).toBe(text);
  });

  it.each([
    ['**b** *i* __u__ _i_', String.raw`\*\*b\*\* \*i\* \_\_u\_\_ \_i\_`],
    ['a__b__c', String.raw`a\_\_b\_\_c`],
    ['mid_word end_', String.raw`mid_word end\_`],
    ['ä_ö_', String.raw`ä\_ö\_`],
    ['* one\n  * two', '\\* one\n  \\* two'],
    ['- one\n-# two\n> three\n1. four', '\\- one\n\\-# two\n\\> three\n1\\. four'],
    ['~~s~~ ||p||', String.raw`\~\~s\~\~ \|\|p\|\|`],
    ['see [a [b](c) [d]', String.raw`see \[a \[b](c) [d]`],
    ['hi <@1>', String.raw`hi \<@1>`],
    // Its underscore would end what begins within the word before it, and cannot be escaped.
    ['a_b https://a.example/c_ d_e', String.raw`a\_b https://a.example/c_ d_e`],
  ])('escapes %j so that it is shown literally', (text, escaped) => {
    expect(escapeText(text)).toBe(escaped);
  });
});

describe(htmlToMarkdown.name, () => {
  it.each([
    ['<b>bold</b>, <i>italic</i>, <u>under</u>, <s>gone</s>', '**bold**, *italic*, __under__, ~~gone~~'],
    ['<a href="https://a.example/x?a=1&amp;b=2">here</a><br>next', '[here](https://a.example/x?a=1&b=2)\nnext'],
    ['<pre><code class="language-ts">a &lt; *b*</code></pre>', '```\na < *b*\n```'],
    ['1 &lt; 2 &amp;&amp; *stars*', String.raw`1 < 2 && \*stars\*`],
    ['&#128512; &bogus;', '😀 &bogus;'],
    ['<a href="javascript:alert(1)">no</a>', 'no'],
    ["<a href='https://e.example/'>e</a>", '[e](https://e.example/)'],
    ['<constructor>x</constructor> &constructor;', String.raw`<constructor>x\</constructor> &constructor;`],
    ['&#x27;hi&#x27;&nbsp;a&#55296;b', "'hi'\u00a0a&#55296;b"],
  ])('renders %j', (html, markdown) => {
    expect(htmlToMarkdown(html)).toBe(markdown);
  });

  it.each(['<b>never closed', '<b><i>crossed</b></i>', 'closed</b>'])('shows %j literally', (html) => {
    expect(htmlToMarkdown(html)).toBe(escapeMarkup(html));
  });
});

describe(partsOf.name, () => {
  it('keeps every rendered part within the limit and loses no text', () => {
    const words = ['*', '_', '\\', 'a', ' ', '\n', '😀', '`x'];
    // Without fences, at which something would be inserted.
    const noisy = string({ unit: constantFrom(...words), maxLength: 6_000 });
    assert(
      property(noisy, (text) => {
        const parts = partsOf(text, 'plain');
        expect(parts.every((part) => render(part, 'plain').length <= MAX_LENGTH)).toBe(true);
        expect(parts.join('')).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  it('splits HTML after converting it to Markdown', () => {
    const parts = partsOf(`<b>${'word '.repeat(100)}</b>${'more '.repeat(600)}`, 'html');
    expect(parts.length).toBeGreaterThan(1);
    expect(parts[0]).toMatch(/^\*\*word /);
    expect(parts.every((part) => part.length <= MAX_LENGTH)).toBe(true);
  });
});
