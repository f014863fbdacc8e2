import { CronPattern } from 'croner';
import type { Parser } from './parsers';

/** A crontab(5) schedule: five fields, or six with seconds before them. Croner knows more forms, which no operator expects here. */
export const cron: Parser<string> = {
  accepts: 'a cron schedule of five or six fields, like 0 3 * * *',
  parse: (text) => {
    const fields = text.split(/\s+/);
    if (fields.length !== 5 && fields.length !== 6) return undefined;
    try {
      const schedule = fields.join(' ');
      void new CronPattern(schedule);
      return schedule;
    } catch {
      return undefined;
    }
  },
};
