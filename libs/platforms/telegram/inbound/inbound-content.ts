import type { Message } from 'telegraf/types';
import { sanitizeText } from '#contracts';
import type { InboundKind } from '../../platform.port';

/** Every field that a message may have: the fields present are all that tells one kind from another. */
export type AnyMessage = Message.ServiceMessage & Partial<Message.TextMessage & Message.CaptionableMessage & Contents>;

interface Contents {
  photo: unknown;
  video: unknown;
  animation: unknown;
  video_note: unknown;
  voice: unknown;
  audio: Message.AudioMessage['audio'];
  document: Message.DocumentMessage['document'];
  sticker: Message.StickerMessage['sticker'];
  venue: Message.VenueMessage['venue'];
  location: Message.LocationMessage['location'];
  contact: Message.ContactMessage['contact'];
  poll: Message.PollMessage['poll'];
  dice: Message.DiceMessage['dice'];
  game: Message.GameMessage['game'];
  story: unknown;
  migrate_to_chat_id: number;
  media_group_id: string;
}

interface Kind {
  field: keyof Contents;
  kind: InboundKind;
  label: string;
  /** Short description of it. */
  about?: (message: AnyMessage) => (string | number | undefined)[];
}

/** The order matters: an animation also has the field of a document, a venue that of a location. */
const KINDS: readonly Kind[] = [
  { field: 'photo', kind: 'image', label: 'photo' },
  { field: 'video', kind: 'video', label: 'video' },
  { field: 'animation', kind: 'video', label: 'animation' },
  { field: 'video_note', kind: 'video', label: 'video message' },
  { field: 'voice', kind: 'audio', label: 'voice message' },
  { field: 'audio', kind: 'audio', label: 'audio', about: ({ audio }) => [audio?.performer, audio?.title] },
  { field: 'document', kind: 'document', label: 'document', about: ({ document }) => [document?.file_name] },
  { field: 'sticker', kind: 'sticker', label: 'sticker', about: ({ sticker }) => [sticker?.emoji] },
  {
    field: 'venue',
    kind: 'location',
    label: 'venue',
    about: ({ venue }) => [venue?.title, venue?.address, coordinates(venue?.location)],
  },
  { field: 'location', kind: 'location', label: 'location', about: ({ location }) => [coordinates(location)] },
  {
    field: 'contact',
    kind: 'contact',
    label: 'contact',
    about: ({ contact }) => [contact?.first_name, contact?.last_name, contact?.phone_number],
  },
  {
    field: 'poll',
    kind: 'other',
    label: 'poll',
    about: ({ poll }) => [poll?.question, poll?.options.map(({ text }) => text).join(' / ')],
  },
  { field: 'dice', kind: 'other', label: 'dice', about: ({ dice }) => [dice?.emoji, dice?.value] },
  { field: 'game', kind: 'other', label: 'game', about: ({ game }) => [game?.title] },
  { field: 'story', kind: 'other', label: 'story' },
];

/** The text of a message or a placeholder for it: `[photo] caption`. Undefined for service messages, which no person wrote. */
export function contentOf(message: AnyMessage): { kind: InboundKind; content: string } | undefined {
  if (message.text !== undefined) return sanitized('text', message.text);
  const kind = KINDS.find(({ field }) => message[field] !== undefined);
  if (!kind) return undefined;
  const words = [`[${kind.label}]`, ...(kind.about?.(message) ?? []), message.caption];
  return sanitized(kind.kind, words.filter((word) => word !== undefined && word !== '').join(' '));
}

function sanitized(kind: InboundKind, text: string): { kind: InboundKind; content: string } | undefined {
  const content = sanitizeText(text);
  return content === '' ? undefined : { kind, content };
}

function coordinates(location: { latitude: number; longitude: number } | undefined): string | undefined {
  return location && `${location.latitude}, ${location.longitude}`;
}
