import type { Conversation } from '#client';
import { useNow } from '../../../format/use-now';
import classes from './whatsapp.module.css';
import { windowInWords } from './window-words';

/** Shows how long WhatsApp still accepts free text. */
export function ReplyWindow({ window }: { window: Conversation['window'] }) {
  const now = useNow();
  if (!window) return null;
  const { text, isOpen } = windowInWords(window, now);
  return (
    <span className={classes.window} data-open={isOpen || undefined}>
      {text}
    </span>
  );
}
