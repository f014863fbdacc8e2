import { contentOf } from './inbound-content';

describe(contentOf.name, () => {
  it.each(['novelty', 'constructor', 'toString'])('describes a message of an unknown type: %s', (type) => {
    expect(contentOf({ type })).toEqual({ kind: 'other', content: `[unsupported message: ${type}]` });
  });
});
