import { Tooltip } from '@mantine/core';
import { MagicWandIcon } from '@radix-ui/react-icons';
import { CopyButton } from '../../components/copy/copy-button';
import { TimelineLink } from '../../components/messages/timeline-link';
import { nameOf } from '../../components/people/person-name';
import { Time } from '../../components/time';
import { count, milliseconds, usd } from '../../format/number';
import type { ShownMessage } from '../../live/messages/shown-message';
import classes from './message-bubble.module.css';
import { captionOf } from './media/attachment-words';
import { Attachments } from './media/attachments';
import { MarkedText } from './message/marked-text';
import type { Dialect } from './message/parse-markup';
import { Options } from './message/options';
import { Quotation } from './message/quotation';
import { RetryButton } from './message/retry-button';
import { Scheduled } from './message/scheduled';

const WORDS: Readonly<Record<ShownMessage['status'], string>> = {
  received: 'Received',
  scheduled: 'Scheduled',
  cancelled: 'Cancelled',
  pending: 'Sending …',
  sent: 'Sent',
  delivered: 'Delivered',
  failed: 'Failed',
};

interface MessageBubbleProps {
  message: ShownMessage;
  /** The recipient for a retry of a failed message; undefined if the key may not send. */
  recipient?: string;
  /** Who wrote it, in a group. */
  author: ShownMessage['sender'];
  /** Which person of the business wrote it. */
  colleague: string | undefined;
}

/** One message. Its text is untrusted and never becomes HTML. */
export function MessageBubble({ message, recipient, author, colleague }: MessageBubbleProps) {
  const { id, direction, created_at, status, read_at, ai_model, tokens, latency_ms, cost_usd, error } = message;
  const caption = captionOf(message);
  const isOut = direction === 'outbound';
  return (
    <article
      className={classes.message}
      data-direction={direction}
      data-failed={status === 'failed' || undefined}
      data-cancelled={status === 'cancelled' || undefined}
    >
      <div className={classes.bubble} data-ai={ai_model !== null || undefined}>
        {author && (
          <span className={classes.author} dir="auto">
            {nameOf(author)}
          </span>
        )}
        {message.interactive_reply && <span className={classes.tap}>Tapped</span>}
        <Quotation reply_to={message.reply_to} />
        <Attachments message={message} />
        {message.deleted_at !== null && <p className={classes.deleted}>Deleted by its author</p>}
        {message.deleted_at === null && caption !== '' && (
          <p className={classes.text} dir="auto">
            <MarkedText text={caption} dialect={dialectOf(message)} />
          </p>
        )}
        <Options interactive={message.interactive} />
      </div>
      <footer className={classes.foot}>
        {ai_model && (
          <Tooltip
            label={tokens ? `${count(tokens.input)} tokens in, ${count(tokens.output)} out` : 'Written by the AI'}
          >
            <span className={classes.ai} tabIndex={0}>
              <MagicWandIcon width={12} height={12} aria-hidden /> {ai_model}
              {tokens && ` · ${count(tokens.input + tokens.output)} tokens`}
              {latency_ms != null && ` · ${milliseconds(latency_ms)}`}
              {cost_usd != null && ` · ${usd(cost_usd)}`}
            </span>
          </Tooltip>
        )}
        <span className={classes.state}>
          {colleague && (
            <>
              <bdi>{colleague}</bdi>
              {' · '}
            </>
          )}
          <Time value={created_at} form="clock" />
          {message.edited_at !== null && ' · Edited'}
          {isOut && status !== 'failed' && status !== 'scheduled' && ` · ${read_at ? 'Read' : WORDS[status]}`}
        </span>
        <TimelineLink conversationId={message.conversation_id} messageId={id} />
        {status === 'scheduled' && <Scheduled message={message} mayWrite={recipient !== undefined} />}
        <span className={classes.copy}>
          <CopyButton value={id} label="message id" />
        </span>
      </footer>
      {error && (
        <p className={classes.error}>
          Failed: {error.message} ({error.code})
          {error.templates?.length ? ` Templates that can be sent: ${error.templates.join(', ')}.` : ''}{' '}
          {recipient !== undefined && <RetryButton message={message} recipient={recipient} />}
        </p>
      )}
    </article>
  );
}

/** The markup of a message: the assistant writes Markdown on every platform. */
function dialectOf({ platform, ai_model }: ShownMessage): Dialect {
  return platform === 'whatsapp' && ai_model === null ? 'whatsapp' : 'markdown';
}
