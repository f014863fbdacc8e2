import type { ShownMessage } from '../../../live/messages/shown-message';
import classes from './quotation.module.css';

/** The message that this one answers, above its words. */
export function Quotation({ reply_to: quoted }: Pick<ShownMessage, 'reply_to'>) {
  if (!quoted) return null;
  const author = quoted.sender?.name ?? quoted.sender?.username;
  return (
    <blockquote className={classes.quotation} aria-label="Quoted message">
      {author && (
        <span className={classes.author} dir="auto">
          {author}
        </span>
      )}
      <span className={classes.words} dir="auto">
        {quoted.content ?? 'An earlier message'}
      </span>
    </blockquote>
  );
}
