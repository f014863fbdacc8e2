import { Injectable } from '@nestjs/common';
import { PLATFORM_NAMES, type Environment, type Platform } from '#contracts';
import type { Problem, ProblemSource } from '../problem';
import { ProblemEvents } from './problem-events.service';

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
  constructor(private readonly events: ProblemEvents) {}

  async find(environment: Environment, since: Date): Promise<Problem[]> {
    const groups = await this.events.groups(environment, 'attachment.failed', () => since);
    return groups.map(({ cause, count, firstAt, lastAt, events }) => {
      const [platform, code] = cause.split(' ') as [Platform, string];
      return {
        kind: 'media_failed',
        cause,
        severity: 'warning',
        title: `Files from ${PLATFORM_NAMES[platform] ?? platform} are not stored: ${CAUSES[code] ?? code}.`,
        count,
        firstAt,
        lastAt,
        subject: { type: 'platform', id: platform },
        samples: events.map(({ data }) => data.attachment.id),
      };
    });
  }
}
