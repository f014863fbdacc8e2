import { parseMarkup, type Dialect, type MarkupNode } from './parse-markup';

/** Writes nodes as readable tags. */
function shown(nodes: readonly MarkupNode[]): string {
  return nodes
    .map((node) => {
      if (node.kind === 'text') return node.text;
      if ('text' in node) return `<${node.kind}>${node.text}</>`;
      return `<${node.kind === 'link' ? node.url : node.kind}>${shown(node.children)}</>`;
    })
    .join('');
}

describe(parseMarkup.name, () => {
  it.each<[Dialect, string, string]>([
    [
      'whatsapp',
      'a *bold* _italic_ ~struck~ `code` word',
      'a <bold>bold</> <italic>italic</> <strike>struck</> <code>code</> word',
    ],
    ['whatsapp', '*bold _and italic_*', '<bold>bold <italic>and italic</></>'],
    ['whatsapp', '```two\nlines```', '<block>two\nlines</>'],
    ['whatsapp', '2 * 3 * 4 and snake_case_name', '2 * 3 * 4 and snake_case_name'],
    ['whatsapp', '*not\nclosed*', '*not\nclosed*'],
    ['whatsapp', '[words](https://example.com)', '[words](<https://example.com>https://example.com</>)'],
    [
      'markdown',
      '**bold** *italic* _italic_ ~~struck~~ ||hidden||',
      '<bold>bold</> <italic>italic</> <italic>italic</> <strike>struck</> <spoiler>hidden</>',
    ],
    ['markdown', '*a **b** c*', '<italic>a <bold>b</> c</>'],
    ['markdown', '```ts\nconst a = `b`;\n```', '<block>const a = `b`;</>'],
    ['markdown', '[words](https://example.com/a)', '<https://example.com/a>words</>'],
    ['markdown', '[words](javascript:alert(1))', '[words](javascript:alert(1))'],
    ['markdown', 'See https://example.com/a_b_c.', 'See <https://example.com/a_b_c>https://example.com/a_b_c</>.'],
    ['markdown', '<b onclick="x">*</b>', '<b onclick="x">*</b>'],
    ['markdown', '`**as it is**`', '<code>**as it is**</>'],
  ])('%s: %j', (dialect, text, expected) => {
    expect(shown(parseMarkup(text, dialect))).toBe(expected);
  });

  it.each(['*a ', '_', '`', '[', '**', '*a*', '~~~~', 'https://', '*_~'])('parses many of %j quickly', (part) => {
    const text = part.repeat(16_384 / part.length);
    const start = performance.now();
    for (const dialect of ['whatsapp', 'markdown'] as const) parseMarkup(text, dialect);
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});
