const Sequencer = require('@jest/test-sequencer').default;

/** What takes a minute or two, the longest first: begun late, it would be all that still runs in the end. */
const LONGEST = [
  'test/rooms/integrations',
  'test/rooms/messages',
  'test/rooms/status',
  'test/e2e/admin/backup-faults',
  'test/rooms/core',
  'test/browser/every-page',
  'test/rooms/webhooks',
  'libs/embedded-postgres/',
  'test/rooms/http',
  'test/rooms/openapi',
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
