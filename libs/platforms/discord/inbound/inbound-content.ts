import type { APIAttachment, APIMessage } from 'discord.js';
import { fileName } from '../../media/attachment';
import type { InboundKind, InboundMessage } from '../../platform.port';

type Content = Pick<InboundMessage, 'kind' | 'content'>;

/** https://discord.com/developers/docs/resources/message#message-object-message-flags */
export const IS_VOICE_MESSAGE = 1 << 13;

type FileType = 'image' | 'video' | 'audio' | 'document';

const KINDS: ReadonlyMap<string, FileType> = new Map([
  ['image', 'image'],
  ['video', 'video'],
  ['audio', 'audio'],
]);

/** Discord always sends these fields; other servers may leave empty ones out. */
export type Sparse = Omit<APIMessage, 'attachments' | 'content' | 'embeds' | 'mentions'> &
  Partial<Pick<APIMessage, 'attachments' | 'embeds'>> & { content?: string | null; mentions?: Named[] | null };

/** A user or role that a message may mention. */
export interface Named {
  id: string;
  username?: string | null;
}

/** A placeholder for each attachment, then the text: `[image cat.png] look`. Undefined if the message has neither. */
export function contentOf(message: Sparse, bot: Named): Content | undefined {
  const things = [
    ...(message.attachments ?? []).map((attachment) =>
      ofAttachment(attachment, (message.flags ?? 0) & IS_VOICE_MESSAGE),
    ),
    ...(message.sticker_items ?? []).map(({ name }) => thing('sticker', 'sticker', name)),
    ...(message.poll ? [thing('other', 'poll', message.poll.question.text)] : []),
    ...(message.message_snapshots ?? []).map(({ message: { content } }) => thing('other', 'forwarded', content)),
  ];
  const text = withNames(message, bot);
  // Other bots may write only embeds.
  if (things.length === 0 && text.trim() === '')
    things.push(
      ...(message.embeds ?? []).map(({ title, description }) => thing('other', 'embed', title ?? description)),
    );
  const content = [...things.map(({ content: placeholder }) => placeholder), text].filter(Boolean).join(' ');
  return content.trim() === '' ? undefined : { kind: things[0]?.kind ?? 'text', content };
}

function ofAttachment({ content_type, filename }: APIAttachment, isVoice: number): Content {
  if (isVoice) return thing('audio', 'voice message');
  const kind = kindOf(content_type);
  return thing(kind, kind, fileName(filename));
}

export function kindOf(contentType: string | undefined): FileType {
  return KINDS.get(contentType?.split('/')[0] ?? '') ?? 'document';
}

function thing(kind: InboundKind, label: string, about?: string): Content {
  return { kind, content: about ? `[${label} ${about}]` : `[${label}]` };
}

/** Replaces `<@id>` by the name that people see; an unknown id stays. */
function withNames({ content, mentions }: Sparse, bot: Named): string {
  const named = [...(mentions ?? []), bot].filter(({ username }) => username);
  const names = new Map(named.map(({ id, username }) => [id, `@${username}`]));
  return (content ?? '').replaceAll(/<@!?(\d+)>/g, (mention, id: string) => names.get(id) ?? mention);
}
