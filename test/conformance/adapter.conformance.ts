import { describeConnection } from './connection.cases';
import type { ConformanceHarness, NotApplicable } from './harness';
import { describeReceiving } from './receiving.cases';
import { describeSending } from './sending.cases';
import { Session } from './session';

/** Every adapter must pass it. Groups that do not apply to one are named in the output, with the reason. */
export function describeAdapter(
  name: string,
  start: () => Promise<ConformanceHarness>,
  notApplicable: NotApplicable = {},
): void {
  describe(`${name} as a platform adapter`, () => {
    const session = new Session(start);
    beforeEach(() => session.open());
    afterEach(() => session.close());

    describeSending(session, notApplicable);
    describeConnection(session, notApplicable);
    describeReceiving(session, notApplicable);
  });
}
