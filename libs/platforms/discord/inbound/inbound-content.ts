import type { APIAttachment, APIEmbed, APIMessage } from 'discord.js';
import { fileName } from '../../media/attachment';
import type { InboundKind, InboundMessage } from '../../platform.port';
import { linesOf } from './kinds/components';
import { hasFlag } from './kinds/flags';
import { typeRowOf } from './kinds/message-types';

type Content = Pick<InboundMessage, 'kind' | 'content'>;

type FileType = 'image' | 'video' | 'audio' | 'document';

const KINDS: ReadonlyMap<string, FileType> = new Map([
  ['image', 'image'],
  ['video', 'video'],
  ['audio', 'audio'],
]);

/** Discord always sends these fields; other servers may leave empty ones out. Forwarded messages have only some. */
export type Sparse = Partial<Omit<APIMessage, 'content' | 'mentions'>> & {
  content?: string | null;
  mentions?: Named[] | null;
};

/** A user or role that a message may mention. */
export interface Named {
  id: string;
  username?: string | null;
}

export interface Bot extends Named {
  /** Discord gives the bot a role of its own in most guilds, and people mention that as well. */
  roles?: ReadonlySet<string>;
}

/** The words of a message; undefined if it has none, or if its type is unknown. */
export function contentOf(message: Sparse, bot: Bot): Content | undefined {
  const row = typeRowOf(message.type);
  if (!row) return undefined;
  if (row.label === undefined) return writtenOf(message, bot);
  return { kind: 'other', content: labelled(row.label, row.words?.(message)) };
}

/**
 * A placeholder for each file with the text behind (`[image cat.png] look`), then a block for each other thing. Undefined if the
 * message has nothing of these.
 */
function writtenOf(message: Sparse, bot: Bot): Content | undefined {
  const isVoice = hasFlag(message, 'IsVoiceMessage') ? 1 : 0;
  const files = [
    ...(message.attachments ?? []).map((attachment) => ofAttachment(attachment, isVoice)),
    ...(message.sticker_items ?? []).map(({ name }) => thing('sticker', 'sticker', name)),
  ];
  const named = (text: string): string => withNames(text, message.mentions, bot);
  const text = named(message.content ?? '');
  const first = [...files.map(({ content }) => content), text].filter(Boolean).join(' ');
  const extras = extrasOf(message, bot);
  const shown = [
    ...(message.embeds ?? []).filter((embed) => !isPreview(embed, text)).map(embedOf),
    ...linesOf(message.components).map(named),
  ];
  const content = [first, ...extras, ...shown].filter((block) => block.trim() !== '').join('\n');
  if (content === '') return undefined;
  const isText = text.trim() !== '' && extras.length === 0;
  return { kind: files[0]?.kind ?? (isText ? 'text' : 'other'), content };
}

function extrasOf(message: Sparse, bot: Bot): string[] {
  const { poll, activity, application, shared_client_theme: theme, message_snapshots: forwarded } = message;
  return [
    ...(poll ? [labelled('poll', pollOf(poll))] : []),
    ...(activity ? [labelled('invitation', application?.name)] : []),
    ...(theme ? [labelled('theme', theme.colors.map((colour) => `#${colour}`).join(', '))] : []),
    ...(forwarded ?? []).map(({ message: original }) => labelled('forwarded', contentOf(original, bot)?.content)),
  ];
}

function pollOf({ question, answers }: NonNullable<Sparse['poll']>): string {
  const options = (answers ?? []).map(({ poll_media: { text, emoji } }) => text ?? emoji?.name ?? '');
  return [question.text, options.join(' / ')].filter(Boolean).join(' ');
}

/** Discord adds it to a text with a link: its author did not write it. */
function isPreview({ type, url }: { type?: string; url?: string }, text: string): boolean {
  if (text.trim() === '') return false;
  // Types in use: https://discord.com/developers/docs/resources/message#embed-object-embed-types. Bots write rich ones.
  return (type !== undefined && type !== 'rich') || (url !== undefined && text.includes(url));
}

function embedOf({ author, title, url, description, fields, footer, image, video }: APIEmbed): string {
  const heading = [title, url && `(${url})`].filter(Boolean).join(' ');
  const lines = [
    author?.name,
    heading,
    description,
    ...(fields ?? []).map(({ name, value }) => `${name}: ${value}`),
    footer?.text,
  ].filter(Boolean);
  return labelled('embed', lines.length > 0 ? lines.join('\n') : (image?.url ?? video?.url));
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

function labelled(label: string, words: string | undefined): string {
  return words ? `[${label}] ${words}` : `[${label}]`;
}

/** Replaces `<@id>`, and the bot's role, by the name that people see; an unknown id stays. */
function withNames(text: string, mentions: Sparse['mentions'], bot: Bot): string {
  const named = [...(mentions ?? []), bot].filter(({ username }) => username);
  const names = new Map(named.map(({ id, username }) => [id, `@${username}`]));
  return text.replaceAll(/<@(!|&)?(\d+)>/g, (mention, mark: string | undefined, id: string) => {
    if (mark === '&') return (bot.roles?.has(id) ? names.get(bot.id) : undefined) ?? mention;
    return names.get(id) ?? mention;
  });
}
