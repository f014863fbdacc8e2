const Sequencer = require('@jest/test-sequencer').default;

/** What takes minutes, the longest first: begun late, it would be all that still runs in the end. */
const LONGEST = [
  'test/browser/every-page',
  'test/rooms/status',
  'test/rooms/http-hostile',
  'test/rooms/openapi',
  'test/rooms/integrations',
  'test/e2e/status/stop',
  'test/rooms/messages',
  'test/rooms/core',
  'test/rooms/webhooks',
  'test/e2e/',
  'test/rooms/',
  'test/browser/',
  'test/conformance/',
];

const rankOf = ({ path }) => {
  const index = LONGEST.findIndex((part) => path.includes(`/${part}`));
  return index < 0 ? LONGEST.length : index;
};

/** Starts the longest files first, on a machine that has never run them too. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
};
