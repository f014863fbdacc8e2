import * as fc from 'fast-check';
import { renderTelegramHtml } from './markdown-html';

describe(renderTelegramHtml.name, () => {
  it.each([
    ['plain text', 'a < b & c > "d"', 'a &lt; b &amp; c &gt; &quot;d&quot;'],
    ['bold', '**bold** and __bold__', '<b>bold</b> and <b>bold</b>'],
    ['italic', '*italic* and _italic_', '<i>italic</i> and <i>italic</i>'],
    ['both', '***both***', '<i><b>both</b></i>'],
    ['nested', '**bold *and italic***', '<b>bold <i>and italic</i></b>'],
    ['strike-through', '~~gone~~ ~not~', '<s>gone</s> ~not~'],
    ['crossing marks', '**a _b** c_', '<b>a _b</b> c_'],
    ['arithmetic', '2 * 3 * 4', '2 * 3 * 4'],
    ['names with underscores', 'snake_case_name', 'snake_case_name'],
    ['unclosed marks', '**open', '**open'],
    ['escapes', String.raw`\*not italic\* \<`, '*not italic* &lt;'],
    ['inline code', '`a < *b*` and ``x ` y``', '<code>a &lt; *b*</code> and <code>x ` y</code>'],
    ['unclosed code', '`open **bold**', '`open <b>bold</b>'],
    ['links', '[*text*](https://a.example/?x=1&y=2)', '<a href="https://a.example/?x=1&amp;y=2"><i>text</i></a>'],
    ['links with titles', '[text](https://a.example/b_(c) "title")', '<a href="https://a.example/b_(c)">text</a>'],
    ['formatted links', '**[*text*](tg://user?id=1)**', '<b><a href="tg://user?id=1"><i>text</i></a></b>'],
    ['other schemes', '[text](javascript:alert)', '[text](javascript:alert)'],
    ['bare addresses', '<https://a.example>', '<a href="https://a.example">https://a.example</a>'],
    ['images', '![alt](https://a.example/i.png)', '<a href="https://a.example/i.png">alt</a>'],
    ['headings', '## A *title* ##\ntext', '<b>A <i>title</i></b>\ntext'],
    ['quotes', '> one\n> **two**\nafter', '<blockquote>one\n<b>two</b></blockquote>\nafter'],
    ['lists', '* one\n* two\n\n- three', '* one\n* two\n\n- three'],
    ['paragraphs', '*one\n\ntwo*', '*one\n\ntwo*'],
    ['emphasis over lines', '*one\ntwo*', '<i>one\ntwo</i>'],
    ['raw HTML', '<b>no</b><script>', '&lt;b&gt;no&lt;/b&gt;&lt;script&gt;'],
    [
      'code blocks',
      '```ts\nif (a < b) {}\n```\n*end*',
      '<pre><code class="language-ts">if (a &lt; b) {}</code></pre>\n<i>end</i>',
    ],
    ['code blocks without a language', '~~~\n**code**\n~~~', '<pre>**code**</pre>'],
    ['unclosed code blocks', 'a\n```\ncode', 'a\n<pre>code</pre>'],
    ['hostile languages', '```"><b>\nx\n```', '<pre>x</pre>'],
  ])('renders %s', (_, markdown, html) => {
    expect(renderTelegramHtml(markdown)).toBe(html);
  });

  const pieces = fc.constantFrom(
    '*',
    '**',
    '***',
    '_',
    '__',
    '~~',
    '`',
    '``',
    '```',
    '\n```js\n',
    '[',
    '](https://a.example)',
    '![',
    '<',
    '>',
    '\n> ',
    '\n# ',
    'word',
    ' ',
    '\n',
    '\n\n',
    '\\',
    '&',
    '"',
    '(',
    ')',
    '漢字',
    '👍',
    '- ',
    '.',
    '<https://b.example>',
  );
  const markdown = fc.oneof(
    fc.array(pieces, { maxLength: 60 }).map((list) => list.join('')),
    fc.string({ unit: 'binary' }),
  );

  it('balances its tags, escapes everything else and adds nothing to the source', () => {
    fc.assert(
      fc.property(markdown, (source) => {
        const open: string[] = [];
        const shown = renderTelegramHtml(source).replace(TAG, (_, slash: string, name: string) => {
          // A crossed tag stays in the text, where the next line finds it.
          if (slash) return open.pop() === name ? '' : '<crossed>';
          open.push(name);
          return '';
        });
        expect(open).toEqual([]);
        expect(shown).not.toMatch(/[<>"]|&(?!(?:amp|lt|gt|quot);)/);
        expect(shown.replace(/&\w+;/g, 'x').length).toBeLessThanOrEqual(source.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['*a ', '[', '`a``', '**', '_a*', '![a](', '> ', '(~', '(**a *', '(_)*'])(
    'renders long hostile texts of %j quickly',
    (unit) => {
      const before = process.cpuUsage();
      renderTelegramHtml(unit.repeat(16_384 / unit.length));
      expect(process.cpuUsage(before).user).toBeLessThan(200_000);
    },
  );
});

const TAG =
  /<(\/?)(b|i|s|code|pre|blockquote|a)(?:(?<=<a) href="(?:https?|tg):\/\/[^"<>]*"|(?<=<code) class="language-[\w+#.-]+")?>/gi;
