import { withAddress, withLinks } from './links';

const link = (offset: number, length: number, url = 'https://a.example/17') => ({
  type: 'text_link' as const,
  offset,
  length,
  url,
});

describe(withLinks.name, () => {
  it.each([
    [
      'behind words, counted in UTF-16 units',
      '🙂 see my invoice please',
      [link(10, 7)],
      '🙂 see my invoice (https://a.example/17) please',
    ],
    ['before white space at its end', 'invoice \nplease', [link(0, 9)], 'invoice (https://a.example/17) \nplease'],
    [
      'of several links, in any order',
      'one two',
      [link(4, 3, 'https://b.example'), link(0, 3, 'https://a.example')],
      'one (https://a.example) two (https://b.example)',
    ],
    [
      'of a link inside another',
      'see this',
      [link(0, 8, 'https://a.example'), link(4, 4, 'https://b.example')],
      'see this (https://a.example) (https://b.example)',
    ],
  ])('shows the URL %s', (_, text, entities, shown) => {
    expect(withLinks(text, entities)).toBe(shown);
  });

  it.each([
    ['shows its address', 'see a.example', [link(4, 9, 'https://A.example/')]],
    ['is no link', 'see this', [{ type: 'bold' as const, offset: 4, length: 4 }]],
    ['has no address', 'see this', [{ type: 'text_link' as const, offset: 4, length: 4 }]],
    ['has no place', 'see this', [{ type: 'text_link' as const, url: 'https://a.example' }]],
  ])('adds nothing for an entity that %s', (_, text, entities) => {
    expect(withLinks(text, entities)).toBe(text);
  });

  it('keeps the text if an entity lies outside it', () => {
    expect(withLinks('see', [link(90, 5)])).toBe('see (https://a.example/17)');
  });
});

describe(withAddress.name, () => {
  it.each([
    ['call us', '+49123', 'call us (+49123)'],
    ['+49 (12) 3', '+49123', '+49 (12) 3'],
    ['write', 'ada@a.example', 'write (ada@a.example)'],
    ['ada@a.example', 'ada@a.example', 'ada@a.example'],
    ['', 'https://a.example', 'https://a.example'],
  ])('of %j and %j is %j', (words, address, shown) => {
    expect(withAddress(words, address)).toBe(shown);
  });
});
