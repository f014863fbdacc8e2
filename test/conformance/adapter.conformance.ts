import { CASES, type Case, type CasesOf, type NotApplicable } from './cases';
import { CONNECTION_CASES } from './connection.cases';
import { DOWNLOAD_CASES } from './download.cases';
import { FILE_SENDING_CASES } from './file-sending.cases';
import type { ConformanceHarness } from './harness';
import { RECEIVING_CASES } from './receiving.cases';
import { SENDING_CASES } from './sending.cases';
import { Session } from './session';
import { TROUBLE_CASES } from './trouble.cases';

const SUITE: CasesOf<Case> = {
  ...CONNECTION_CASES,
  ...RECEIVING_CASES,
  ...SENDING_CASES,
  ...TROUBLE_CASES,
  ...DOWNLOAD_CASES,
  ...FILE_SENDING_CASES,
};

/**
 * The suite that every adapter must pass. The output names each case that does not apply to an adapter, with the reason.
 * `table.reporter.cjs` reads the titles and prints a table: adapter × case.
 * @param name its first word is the adapter's column
 */
export function describeAdapter(
  name: string,
  start: () => Promise<ConformanceHarness>,
  notApplicable: NotApplicable = {},
): void {
  describe(`${name} as a platform adapter`, () => {
    const session = new Session(start);
    beforeEach(() => session.open());
    afterEach(() => session.close());

    for (const title of CASES) {
      const reason = notApplicable[title];
      describe(title, () => {
        if (reason === undefined) SUITE[title](session);
        // One passing test instead of skipped ones, because nothing is missing here.
        else it(`does not apply: ${reason}`, () => expect(reason).not.toBe(''));
      });
    }
  });
}
