import { assert, constantFrom, property, string } from 'fast-check';
import { escapeMarkup } from './escape';
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
  ])('shows %j as it is', (text, escaped) => {
    expect(escapeMarkup(text)).toBe(escaped);
  });

  it('leaves addresses alone: a backslash would break them', () => {
    expect(escapeMarkup('see https://a.example/foo_bar_*x* _now_')).toBe(
      String.raw`see https://a.example/foo_bar_*x* \_now\_`,
    );
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
  ])('renders %j', (html, markdown) => {
    expect(htmlToMarkdown(html)).toBe(markdown);
  });

  it.each(['<b>never closed', '<b><i>crossed</b></i>', 'closed</b>'])('shows %j as it is', (html) => {
    expect(htmlToMarkdown(html)).toBe(escapeMarkup(html));
  });
});

describe(partsOf.name, () => {
  it('keeps every part within the limit once rendered, and the text whole', () => {
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

  it('cuts HTML only after it became markdown', () => {
    const parts = partsOf(`<b>${'word '.repeat(100)}</b>${'more '.repeat(600)}`, 'html');
    expect(parts.length).toBeGreaterThan(1);
    expect(parts[0]).toMatch(/^\*\*word /);
    expect(parts.every((part) => part.length <= MAX_LENGTH)).toBe(true);
  });
});
