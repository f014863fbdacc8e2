import { contentOf } from './inbound-content';

describe(contentOf.name, () => {
  it.each(['novelty', 'constructor', 'toString'])('has words for a message of a type that nobody knows: %s', (type) => {
    expect(contentOf({ type })).toEqual({ kind: 'other', content: `[unsupported message: ${type}]` });
  });
});
