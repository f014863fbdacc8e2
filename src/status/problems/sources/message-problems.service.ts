import { Injectable } from '@nestjs/common';
import { SEND_FAILURES, type Environment, type Platform, type SendFailureCode } from '#contracts';
import { Accounts } from '../../../accounts/accounts.service';
import { inSentence, platformTitle } from './titles';
import { ProblemEvents } from './problem-events.service';
import type { Problem, ProblemSource } from '../problem';

/** A person answers in place of the assistant: nothing is wrong. */
const NO_PROBLEM: SendFailureCode = 'taken_over';

/** Messages that failed, by platform and code. */
@Injectable()
export class MessageProblems implements ProblemSource {
  constructor(
    private readonly events: ProblemEvents,
    private readonly accounts: Accounts,
  ) {}

  async find(environment: Environment, since: Date): Promise<Problem[]> {
    const groups = await this.events.groups(environment, 'message.failed', (cause) =>
      cause.endsWith(` ${NO_PROBLEM}`) ? undefined : since,
    );
    return groups.map(({ cause, count, firstAt, lastAt, events }) => {
      const [platform, code] = cause.split(' ') as [Platform, SendFailureCode];
      const concerned = events.map(({ data }) => data.account);
      const name = platformTitle(this.accounts, environment, platform, concerned);
      // A later version may have stored another code.
      const reason = inSentence(SEND_FAILURES[code]?.message ?? `${code}.`);
      return {
        kind: 'message_failed',
        cause,
        severity: 'warning',
        title: `Messages on ${name} fail: ${reason}`,
        count,
        firstAt,
        lastAt,
        subject: { type: 'platform', id: platform },
        samples: events.map(({ data }) => data.message_id),
      };
    });
  }
}
