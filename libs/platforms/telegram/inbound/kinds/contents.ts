import type { TelegramLocation, TelegramUser } from '@gramio/types/objects';
import { fileName } from '../../../media/attachment';
import type { ContentRow, FieldRow, FieldRows, Words } from './field-row';
import { withLinks } from './links';
import { readRichMessage } from './rich-message';

/** A file without words of its own. */
const file = (kind: ContentRow['kind'], label: string): FieldRow => ({
  becomes: 'message',
  kind,
  label,
  form: 'caption',
});

/**
 * The kinds of content that a person writes, records or sends. The order matters: the first field that a message has decides its kind. An animation
 * also has the field of a document, a live photo that of a photo, a venue that of a location.
 */
export const CONTENTS = {
  text: {
    becomes: 'message',
    kind: 'text',
    words: (text, { entities }) => [withLinks(text, entities)],
    form: 'the text; a hidden link as `words (address)`',
  },
  rich_message: {
    becomes: 'message',
    kind: 'text',
    words: (rich) => [readRichMessage(rich).text || '[rich message]'],
    form: 'the text in reading order: a line for each paragraph, list item and table row',
  },
  live_photo: file('image', 'live photo'),
  photo: file('image', 'photo'),
  video: file('video', 'video'),
  animation: file('video', 'animation'),
  video_note: file('video', 'video message'),
  voice: file('audio', 'voice message'),
  audio: {
    becomes: 'message',
    kind: 'audio',
    label: 'audio',
    words: ({ performer, title }) => [performer, title],
    form: 'performer title caption',
  },
  document: {
    becomes: 'message',
    kind: 'document',
    label: 'document',
    words: ({ file_name }) => [fileName(file_name)],
    form: 'file name caption',
  },
  sticker: { becomes: 'message', kind: 'sticker', label: 'sticker', words: ({ emoji }) => [emoji], form: 'emoji' },
  paid_media: {
    becomes: 'message',
    kind: 'other',
    label: 'paid media',
    words: ({ star_count, paid_media }) => [
      `${star_count} Stars:`,
      paid_media.map(({ type }) => type.replaceAll('_', ' ')).join(', '),
    ],
    form: '5 Stars: photo, preview caption',
  },
  venue: {
    becomes: 'message',
    kind: 'location',
    label: 'venue',
    words: ({ title, address, location }) => [title, address, coordinates(location)],
    form: 'title address latitude, longitude',
  },
  location: {
    becomes: 'message',
    kind: 'location',
    label: 'location',
    words: (location) => [coordinates(location)],
    form: 'latitude, longitude',
  },
  contact: {
    becomes: 'message',
    kind: 'contact',
    label: 'contact',
    words: ({ first_name, last_name, phone_number }) => [first_name, last_name, phone_number],
    form: 'name phone number',
  },
  poll: {
    becomes: 'message',
    kind: 'other',
    label: 'poll',
    words: ({ question, description, description_entities, options }) => [
      question,
      description && withLinks(description, description_entities),
      options.map(({ text }) => text).join(' / '),
    ],
    form: 'question description option / option',
  },
  checklist: {
    becomes: 'message',
    kind: 'other',
    label: 'checklist',
    words: ({ title, title_entities, tasks }) => [
      `${withLinks(title, title_entities)}:`,
      tasks
        .map(({ text, text_entities, completion_date }) => {
          const words = withLinks(text, text_entities);
          return completion_date ? `${words} (done)` : words;
        })
        .join(' / '),
    ],
    form: 'title: task / task (done)',
  },
  dice: {
    becomes: 'message',
    kind: 'other',
    label: 'dice',
    words: ({ emoji, value }) => [emoji, value],
    form: 'emoji value',
  },
  game: { becomes: 'message', kind: 'other', label: 'game', words: ({ title }) => [title], form: 'title' },
  story: { becomes: 'message', kind: 'other', label: 'story' },
  giveaway: {
    becomes: 'message',
    kind: 'other',
    label: 'giveaway',
    words: ({ winner_count, winners_selection_date, ...prize }) => [
      `${winner_count} winners on ${dayOf(winners_selection_date)}:`,
      ...prizes(prize),
    ],
    form: '3 winners on 2026-12-01: prize',
  },
  giveaway_winners: {
    becomes: 'message',
    kind: 'other',
    label: 'giveaway winners',
    words: ({ winner_count, winners, ...prize }) => [
      `${winner_count}:`,
      [winners.map(nameOf).join(', '), ...prizes(prize)].join(', '),
    ],
    form: 'count: name, name, prize',
  },
} as const satisfies FieldRows;

interface Prize {
  prize_description?: string;
  prize_star_count?: number;
  premium_subscription_month_count?: number;
}

function prizes({ prize_description, prize_star_count, premium_subscription_month_count }: Prize): Words {
  const stars = prize_star_count === undefined ? undefined : `${prize_star_count} Stars`;
  const months = premium_subscription_month_count;
  const premium = months === undefined ? undefined : `Telegram Premium for ${months} months`;
  const words = [prize_description, stars, premium].filter((word) => word !== undefined);
  return words.length > 0 ? [words.join(', ')] : [];
}

export function nameOf({ first_name, last_name }: Pick<TelegramUser, 'last_name'> & { first_name?: string }): string {
  return [first_name, last_name].filter(Boolean).join(' ');
}

function coordinates({ latitude, longitude }: TelegramLocation): string {
  return `${latitude}, ${longitude}`;
}

function dayOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10);
}
