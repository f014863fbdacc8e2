import { Injectable } from '@nestjs/common';
import type { Environment, Platform } from '#contracts';
import { Accounts } from '../../../accounts/accounts.service';
import type { Problem, ProblemSource } from '../problem';
import { ProblemEvents } from './problem-events.service';
import { platformTitle } from './titles';

/** Reasons in the titles, by code. */
const CAUSES: Readonly<Record<string, string>> = {
  quota: 'the media quota, or the tenth of it allowed for one person, is used up',
  too_large: 'they are too large',
  expired: 'the platform no longer provides them',
  failed: 'the platform does not provide them',
};

/** Files of inbound messages that could not be fetched, by platform and cause. */
@Injectable()
export class MediaProblems implements ProblemSource {
  constructor(
    private readonly events: ProblemEvents,
    private readonly accounts: Accounts,
  ) {}

  async find(environment: Environment, since: Date): Promise<Problem[]> {
    const groups = await this.events.groups(environment, 'attachment.failed', () => since);
    return groups.map(({ cause, count, firstAt, lastAt, events }) => {
      const [platform, code] = cause.split(' ') as [Platform, string];
      const concerned = events.map(({ data }) => data.account);
      const name = platformTitle(this.accounts, environment, platform, concerned);
      return {
        kind: 'media_failed',
        cause,
        severity: 'warning',
        title: `Files from ${name} are not stored: ${CAUSES[code] ?? code}.`,
        count,
        firstAt,
        lastAt,
        subject: { type: 'platform', id: platform },
        samples: events.map(({ data }) => data.attachment.id),
      };
    });
  }
}
