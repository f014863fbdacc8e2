import type { TelegramChecklist, TelegramMessage } from '@gramio/types/objects';
import { nameOf } from './contents';
import type { FieldRows } from './field-row';
import { withLinks } from './links';

/** Acts of a person towards the business. Telegram calls most of them service messages. */
export const ACTIONS = {
  invoice: {
    becomes: 'message',
    kind: 'other',
    label: 'invoice',
    words: ({ title, description, total_amount, currency }) => [
      title,
      description,
      `(${amount(total_amount, currency)})`,
    ],
    form: 'title description (19.99 EUR)',
  },
  successful_payment: {
    becomes: 'message',
    kind: 'other',
    label: 'payment',
    words: ({ total_amount, currency, invoice_payload }) => [amount(total_amount, currency), `for ${invoice_payload}`],
    data: (payment) => ({ payment: { ...payment } }),
    form: '19.99 EUR for the payload of the invoice; `data.payment`',
  },
  refunded_payment: {
    becomes: 'message',
    kind: 'other',
    label: 'payment refunded',
    words: ({ total_amount, currency, invoice_payload }) => [amount(total_amount, currency), `for ${invoice_payload}`],
    data: (payment) => ({ payment: { ...payment, refunded: true } }),
    form: '19.99 EUR for the payload of the invoice; `data.payment`',
  },
  web_app_data: {
    becomes: 'message',
    kind: 'other',
    label: 'web app',
    words: ({ button_text, data }) => [`${button_text}:`, data],
    data: ({ button_text, data }) => ({ web_app: { button_text, data } }),
    form: 'button: what the web app sent; `data.web_app`',
  },
  users_shared: {
    becomes: 'message',
    kind: 'other',
    label: 'users shared',
    words: ({ users }) => [
      users.map(({ user_id, username, ...user }) => shared(user_id, nameOf(user), username)).join(', '),
    ],
    form: 'name @username (id), …',
  },
  chat_shared: {
    becomes: 'message',
    kind: 'other',
    label: 'chat shared',
    words: ({ chat_id, title, username }) => [shared(chat_id, title, username)],
    form: 'title @username (id)',
  },
  passport_data: {
    becomes: 'message',
    kind: 'other',
    label: 'passport data',
    words: ({ data }) => [data.map(({ type }) => type).join(', ')],
    form: 'kinds of documents; the encrypted documents are not kept',
  },
  gift: {
    becomes: 'message',
    kind: 'other',
    label: 'gift',
    words: ({ gift, text, entities }) => [`${gift.star_count} Stars`, text && withLinks(text, entities)],
    form: '15 Stars text',
  },
  unique_gift: {
    becomes: 'message',
    kind: 'other',
    label: 'unique gift',
    words: ({ gift, text, entities }) => [gift.base_name, `#${gift.number}`, text && withLinks(text, entities)],
    form: 'name #number text',
  },
  gift_upgrade_sent: {
    becomes: 'message',
    kind: 'other',
    label: 'gift upgrade',
    words: ({ text, entities }) => [text && withLinks(text, entities)],
    form: 'text',
  },
  checklist_tasks_done: {
    becomes: 'message',
    kind: 'other',
    label: 'checklist changed',
    words: ({ checklist_message, marked_as_done_task_ids = [], marked_as_not_done_task_ids = [] }) => [
      titleOf(checklist_message),
      [
        ...marked_as_done_task_ids.map((id) => `${taskOf(checklist_message?.checklist, id)} (done)`),
        ...marked_as_not_done_task_ids.map((id) => `${taskOf(checklist_message?.checklist, id)} (not done)`),
      ].join(' / '),
    ],
    expectsReply: false,
    form: 'title: task (done) / task (not done)',
  },
  checklist_tasks_added: {
    becomes: 'message',
    kind: 'other',
    label: 'checklist changed',
    words: ({ checklist_message, tasks }) => [
      titleOf(checklist_message),
      tasks.map(({ text, text_entities }) => `${withLinks(text, text_entities)} (added)`).join(' / '),
    ],
    expectsReply: false,
    form: 'title: task (added)',
  },
  giveaway_created: {
    becomes: 'message',
    kind: 'other',
    label: 'giveaway created',
    words: ({ prize_star_count }) => [prize_star_count && `${prize_star_count} Stars`],
    expectsReply: false,
    form: '500 Stars',
  },
  giveaway_completed: {
    becomes: 'message',
    kind: 'other',
    label: 'giveaway completed',
    words: ({ winner_count }) => [`${winner_count} winners`],
    expectsReply: false,
    form: '3 winners',
  },
} as const satisfies FieldRows;

/** Digits after the point, of currencies that have not two: https://core.telegram.org/bots/payments#supported-currencies */
const DIGITS: Readonly<Record<string, number>> = {
  CLP: 0,
  ISK: 0,
  JPY: 0,
  KRW: 0,
  PYG: 0,
  UGX: 0,
  VND: 0,
  BHD: 3,
  IQD: 3,
  JOD: 3,
};

/** @param total in the smallest unit of the currency */
function amount(total: number, currency: string): string {
  if (currency === 'XTR') return `${total} Stars`;
  const digits = DIGITS[currency] ?? 2;
  return `${(total / 10 ** digits).toFixed(digits)} ${currency}`;
}

function shared(id: number, name: string | undefined, username: string | undefined): string {
  return [name, username && `@${username}`, `(${id})`].filter(Boolean).join(' ');
}

function titleOf(message: TelegramMessage | undefined): string | undefined {
  return message?.checklist && `${message.checklist.title}:`;
}

/** The task's text; its number if Telegram does not send the checklist. */
export function taskOf(checklist: TelegramChecklist | undefined, id: number): string {
  const task = checklist?.tasks.find((one) => one.id === id);
  return task ? withLinks(task.text, task.text_entities) : `task ${id}`;
}
