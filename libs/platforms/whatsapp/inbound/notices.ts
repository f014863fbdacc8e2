import type { NoticeSeverity } from '#contracts';
import type { AccountNotice } from '../../platform.port';
import { meaningOf } from '../error-codes';
import { wordsOf } from '../graph-error';
import { type Change, fieldsOf, type Fields, idText, list, text } from './notification';

/** How a field of a callback becomes a notice about the account. */
interface Rule {
  /** The word that tells the cases apart (an event, a decision, a state). */
  word: (value: Fields) => unknown;
  /** The words that are worse than `info`. */
  severe?: Readonly<Record<string, NoticeSeverity>>;
  /** A sentence without a full stop; default: {@link plainSentence}. */
  sentence?: (value: Fields, word: string) => string | undefined;
  /** The subject of the default sentence. */
  subject: (value: Fields) => string;
}

const WARNING = 'warning';
const CRITICAL = 'critical';
const ACCOUNT = (): string => 'the WhatsApp business account';
const NUMBER = ({ display_phone_number: number }: Fields): string => `the number ${say(number) || 'of the account'}`;
const TEMPLATE = ({ message_template_name: name, message_template_language: language }: Fields): string =>
  `the template ${[say(name), language ? `(${say(language)})` : ''].filter(Boolean).join(' ')}`.trim();
const event = ({ event: word }: Fields): unknown => word;
const decision = ({ decision: word }: Fields): unknown => word;

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference */
const RULES: Readonly<Record<string, Rule>> = {
  account_update: {
    word: ({ ban_info: ban, event: word }) => text(fieldsOf(ban)['waba_ban_state']) ?? word,
    severe: {
      DISABLED_UPDATE: CRITICAL,
      DISABLE: CRITICAL,
      SCHEDULE_FOR_DISABLE: CRITICAL,
      ACCOUNT_RESTRICTION: CRITICAL,
      ACCOUNT_DELETED: CRITICAL,
      ACCOUNT_OFFBOARDED: CRITICAL,
      PARTNER_REMOVED: CRITICAL,
      PARTNER_APP_UNINSTALLED: CRITICAL,
      ACCOUNT_VIOLATION: WARNING,
    },
    sentence: accountSentence,
    subject: ACCOUNT,
  },
  account_alerts: {
    word: ({ alert_info: alert }) => fieldsOf(alert)['alert_severity'],
    severe: { CRITICAL, WARNING },
    sentence: ({ alert_info: alert }) => {
      const { alert_type: type, alert_description: description } = fieldsOf(alert);
      return `Meta alerts about the account: ${[say(type), say(description)].filter(Boolean).join(': ')}`;
    },
    subject: ACCOUNT,
  },
  account_review_update: {
    word: decision,
    severe: { REJECTED: CRITICAL, PENDING: WARNING, DEFERRED: WARNING },
    subject: () => 'the review of the WhatsApp business account',
  },
  account_settings_update: { word: ({ type }) => type, subject: () => 'the settings of the account' },
  business_capability_update: {
    word: ({ max_daily_conversations_per_business: most, max_daily_conversation_per_phone: before }) => most ?? before,
    sentence: (_value, word) => `The account may write to ${word} people a day first`,
    subject: ACCOUNT,
  },
  business_status_update: {
    word: event,
    severe: { COMPROMISED_NOTIFICATION: CRITICAL },
    subject: () => 'the business',
  },
  business_username_updates: {
    word: ({ status, decision: word }) => status ?? word,
    severe: { REJECTED: WARNING },
    subject: NUMBER,
  },
  phone_number_username_update: { word: decision, severe: { REJECTED: WARNING }, subject: NUMBER },
  phone_number_name_update: {
    word: decision,
    severe: { REJECTED: WARNING },
    sentence: ({ requested_verified_name: name, rejection_reason: reason, ...value }, word) =>
      `The display name ${say(name)} of ${NUMBER(value)} is ${word.toLowerCase()}${reason ? `: ${say(reason)}` : ''}`,
    subject: NUMBER,
  },
  phone_number_quality_update: {
    word: event,
    severe: { FLAGGED: WARNING, DOWNGRADE: WARNING, RED: WARNING },
    sentence: ({ current_limit: limit, max_daily_conversations_per_business: most, ...value }, word) =>
      `Meta reports ${word} for the quality or limit of ${NUMBER(value)}${limit || most ? `, now ${say(most ?? limit)}` : ''}`,
    subject: NUMBER,
  },
  security: {
    word: event,
    severe: { PIN_RESET_REQUEST: WARNING, PIN_RESET_SUCCESS: WARNING, PIN_REQUEST_SUCCESS: WARNING },
    subject: (value) => `the security of ${NUMBER(value)}`,
  },
  payment_configuration_update: {
    word: ({ status }) => status,
    severe: { 'Needs Connecting': WARNING },
    subject: ({ configuration_name: name }) => `the payment configuration ${say(name)}`.trim(),
  },
  partner_solutions: { word: ({ solution_status: status }) => status, subject: () => 'a multi-partner solution' },
  flows: {
    word: ({ new_status: status, alert_state: state, event: word }) => status ?? state ?? word,
    severe: { BLOCKED: WARNING, THROTTLED: WARNING, ACTIVATED: WARNING, FLOW_VERSION_EXPIRY_WARNING: WARNING },
    sentence: ({ message }) => (text(message) === undefined ? undefined : `Meta reports about a flow: ${say(message)}`),
    subject: () => 'a flow',
  },
  messaging_handovers: {
    word: ({ type }) => type,
    sentence: ({ sender }, word) => {
      const person = say(fieldsOf(sender)['phone_number']) || 'a person';
      return word === 'control_taken'
        ? `Another app of the account now answers ${person}`
        : `This app now answers ${person} for another app of the account`;
    },
    subject: ACCOUNT,
  },
  group_lifecycle_update: { word: groupWord, severe: { errors: WARNING }, subject: groupOf },
  group_status_update: { word: groupWord, severe: { group_suspend: WARNING, errors: WARNING }, subject: groupOf },
  message_template_status_update: {
    word: event,
    severe: { REJECTED: WARNING, PAUSED: WARNING, DISABLED: WARNING, FLAGGED: WARNING, LIMIT_EXCEEDED: WARNING },
    sentence: ({ reason, ...value }, word) =>
      `Meta reports ${word} for ${TEMPLATE(value)}${reason && reason !== 'NONE' ? `: ${say(reason)}` : ''}`,
    subject: TEMPLATE,
  },
  message_template_quality_update: {
    word: ({ new_quality_score: score }) => score,
    severe: { RED: WARNING },
    subject: (value) => `the quality of ${TEMPLATE(value)}`,
  },
  template_category_update: {
    word: ({ correct_category: later, new_category: now }) => later ?? now,
    sentence: ({ correct_category: later, ...value }, word) =>
      later
        ? `Meta will move ${TEMPLATE(value)} to the category ${word}`
        : `Meta moved ${TEMPLATE(value)} to the category ${word}`,
    subject: TEMPLATE,
  },
  template_correct_category_detection: {
    word: ({ correct_category: category }) => category,
    sentence: (value, word) => `Meta finds that ${TEMPLATE(value)} belongs to the category ${word}`,
    subject: TEMPLATE,
  },
};

/** The notice that a change is; undefined for other fields. */
export function noticeOf({ field, value, accountId, at }: Change): AccountNotice | undefined {
  const rule = Object.hasOwn(RULES, field) ? RULES[field] : undefined;
  if (!rule) return undefined;
  const word = say(rule.word(value)) || 'a change';
  const severity = severityOf(rule, field, value, word);
  const message = rule.sentence?.(value, word) ?? `Meta reports ${word} for ${rule.subject(value)}`;
  return notice(field, severity, message, { ...(accountId && { business_account_id: accountId }), ...value }, at);
}

/** An error that WhatsApp reports about the account instead of a message. */
export function errorNotice(error: Fields, { accountId, at }: Pick<Change, 'accountId' | 'at'>): AccountNotice {
  const { code } = error;
  const isOurs = typeof code === 'number' && meaningOf(code).concernsAccount === true;
  const message = `WhatsApp reports the error ${[say(code), wordsOf(error).slice(0, LONGEST)].join(' ').trim()}`;
  const data = { ...(accountId && { business_account_id: accountId }), ...error };
  return notice('platform_error', isOurs ? CRITICAL : WARNING, message, data, at);
}

/** A call that ended: the gateway takes no calls, so a person called and got no answer, unless another program took it. */
export function callNotice(call: Fields, at: Date | undefined): AccountNotice {
  const { from, from_user_id: userId, to, to_user_id: callee, direction, status, duration } = call;
  const isOurs = direction === 'BUSINESS_INITIATED';
  const who = isOurs ? `The call to ${say(to) || say(callee)}` : `The call from ${say(from) || say(userId)}`;
  const isMissed = /^failed$/i.test(say(status));
  const length = idText(duration) === undefined ? '' : ` after ${say(duration)} seconds`;
  return notice('call_ended', 'info', isMissed ? `${who} was not answered` : `${who} ended${length}`, call, at);
}

function severityOf({ severe = {} }: Rule, field: string, value: Fields, word: string): NoticeSeverity {
  if (Object.hasOwn(severe, word)) return severe[word]!;
  // An event that is new may still name a restriction or a violation.
  if (field === 'account_update' && list(value['restriction_info']).length > 0) return CRITICAL;
  if (field === 'account_update' && value['violation_info']) return WARNING;
  if (field === 'template_category_update' && value['correct_category']) return WARNING;
  return field === 'template_correct_category_detection' ? WARNING : 'info';
}

function accountSentence(value: Fields, word: string): string {
  const date = say(fieldsOf(value['ban_info'])['waba_ban_date']);
  const on = date && ` on ${date}`;
  if (word === 'DISABLE' || word === 'DISABLED_UPDATE') return `Meta disabled ${ACCOUNT()}${on}`;
  if (word === 'SCHEDULE_FOR_DISABLE') return `Meta will disable ${ACCOUNT()}${on}`;
  if (word === 'REINSTATE') return `Meta reinstated ${ACCOUNT()}${on}`;
  const restrictions = list(value['restriction_info']).map(({ restriction_type: type, expiration }) =>
    [say(type), expiration ? `until ${say(expiration)}` : ''].filter(Boolean).join(' '),
  );
  if (restrictions.length > 0) return `Meta restricted ${ACCOUNT()}: ${restrictions.join(', ').slice(0, LONGEST)}`;
  const violation = say(fieldsOf(value['violation_info'])['violation_type']);
  if (violation) return `Meta reports that ${ACCOUNT()} violates a policy: ${violation}`;
  const number = say(value['phone_number']);
  return `Meta reports ${word} for ${ACCOUNT()}${number && ` (number ${number})`}`;
}

function groupWord({ groups }: Fields): unknown {
  const [group = {}] = list(groups);
  return list(group['errors']).length > 0 ? 'errors' : group['type'];
}

function groupOf({ groups }: Fields): string {
  const [{ subject, group_id: id } = {} as Fields] = list(groups);
  return `the group ${say(subject) || say(id)}`.trim();
}

/** Longest piece of the platform's text in a sentence, in UTF-16 code units. */
const LONGEST = 500;
/** Longest data of a notice, in bytes of JSON. */
const LARGEST_DATA = 16_384;

/** A piece of the platform's text for a sentence. */
function say(value: unknown): string {
  return (idText(value) ?? '')
    .slice(0, LONGEST)
    .toWellFormed()
    .replace(/(?<![.\s])[.\s]+$/, '');
}

function notice(
  kind: string,
  severity: NoticeSeverity,
  sentence: string,
  data: Fields,
  at: Date | undefined,
): AccountNotice {
  const isShort = Buffer.byteLength(JSON.stringify(data)) <= LARGEST_DATA;
  return {
    kind,
    severity,
    message: `${sentence}.`,
    data: isShort ? data : { truncated: true },
    ...(at && { occurredAt: at }),
  };
}
