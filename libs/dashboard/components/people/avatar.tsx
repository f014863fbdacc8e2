import type { ConversationItem } from '#client';
import { initialsOf } from './person-name';
import { PlatformIcon } from './platform';
import classes from './avatar.module.css';

/** A person's initials, with the platform in the corner. */
export function Avatar({
  conversation: { participant, platform },
}: {
  conversation: Pick<ConversationItem, 'participant' | 'platform'>;
}) {
  return (
    <span className={classes.avatar}>
      <span className={classes.initials} aria-hidden>
        {initialsOf(participant)}
      </span>
      <span className={classes.platform}>
        <PlatformIcon platform={platform} size={16} />
      </span>
    </span>
  );
}
