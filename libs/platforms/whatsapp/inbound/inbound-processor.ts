import { wordsOf } from '../../fault-words';
import type { SharedCallback } from '../../callback.port';
import type { ConnectionFault, InboundMessage, InboundSink } from '../../platform.port';
import { withoutStop } from '../../refusal';
import { type IdentityChange, systemChange, userIdUpdate } from './identity-changes';
import { typeOf } from './inbound-content';
import {
  authorOfEcho,
  changeOf,
  identityOf,
  isChange,
  isOwn,
  isReaction,
  preferenceOf,
  reactionOf,
  readEcho,
  readMessage,
} from './inbound-message';
import { callNotice, errorNotice, noticeOf } from './notices';
import {
  type Change,
  type Contact,
  fieldsOf,
  type Fields,
  list,
  type NotifiedMessage,
  numberOf,
  timeOf,
  wordOf,
} from './notification';
import type { People } from './people';
import { isPayment, paymentOf, readStatus } from './statuses';

/** How many messages of people, and receipts of different messages, are stored at once. */
const CONCURRENT = 16;

/** Fields whose messages are about our number alone. */
const MESSAGING: ReadonlySet<string> = new Set(['messages', 'smb_message_echoes']);
/** Fields that report a change of the account's templates. */
const TEMPLATE_FIELDS: ReadonlySet<string> = new Set([
  'message_template_status_update',
  'message_template_quality_update',
  'message_template_components_update',
  'template_category_update',
]);

/** One thing to store. Steps with the same key are stored in the order of their arrival. */
interface Step {
  key: string;
  store: () => Promise<void>;
}

/** Stores everything that a notification tells. The rows of {@link WHATSAPP_TABLES} say what becomes of each kind. */
export class InboundProcessor {
  constructor(
    private readonly sink: InboundSink,
    private readonly people: People,
    /** Our number: an app has one callback for all its numbers. */
    private readonly phoneNumberId: string,
    private readonly warn: (fault: ConnectionFault) => void,
    private readonly shared: SharedCallback = { isUnknown: () => true, takes: () => true },
  ) {}

  /** @returns false when something could not be stored: the whole notification must come again then */
  async all(changes: readonly Change[]): Promise<boolean> {
    const numbers = new Set(changes.map(numberOf));
    for (const number of numbers)
      if (number !== undefined && number !== this.phoneNumberId && this.shared.isUnknown(number))
        this.sink.unknownAccount(wordOf(number));
    const ours = changes.filter((change) => this.isOurs(change));
    if (ours.some(({ field }) => TEMPLATE_FIELDS.has(field))) this.sink.templatesChanged();
    const steps = ours.flatMap((change) => this.stepsOf(change));
    const waiting = [...Map.groupBy(steps, ({ key }) => key).values()];
    let stored = true;
    const work = async (): Promise<void> => {
      for (let chain; (chain = waiting.shift());) {
        if (!(await this.storeInOrder(chain))) stored = false;
      }
    };
    await Promise.all(Array.from({ length: Math.min(CONCURRENT, waiting.length) }, work));
    return stored;
  }

  /** Whether colleagues write with the number in the business app too. */
  hasEchoes(changes: readonly Change[]): boolean {
    return changes.some(
      (change) => MESSAGING.has(change.field) && this.isOurs(change) && list(change.value['message_echoes']).length > 0,
    );
  }

  private isOurs(change: Change): boolean {
    const number = numberOf(change);
    return number === undefined ? this.shared.takes(change.accountId) : number === this.phoneNumberId;
  }

  /** Nothing is stored past a failure, so that the order is kept when it comes again. */
  private async storeInOrder(steps: readonly Step[]): Promise<boolean> {
    try {
      for (const step of steps) await step.store();
      return true;
    } catch (error) {
      const message = `Part of a notification could not be stored; WhatsApp will post it again: ${withoutStop(wordsOf(error))}.`;
      this.warn({ code: 'not_stored', message });
      return false;
    }
  }

  private stepsOf(change: Change): Step[] {
    const { field, value } = change;
    if (MESSAGING.has(field)) return this.messagingSteps(change);
    if (field === 'standby') return this.messageSteps(fieldsOf(value['standby']), value, { expectsReply: false });
    if (field === 'calls') return this.callSteps(change);
    if (field === 'user_preferences')
      return list(value['user_preferences']).map((given) => {
        const preference = preferenceOf(given, this.people, change.at);
        if (!preference) return this.counted(field);
        return { key: preference.participantId, store: () => this.sink.marketing(preference) };
      });
    if (field === 'user_id_update')
      return list(value[field]).map((given) => this.moveStep(userIdUpdate(given, this.people), field));
    const notice = noticeOf(change);
    return [notice ? { key: field, store: () => this.sink.notice(notice) } : this.counted(wordOf(field))];
  }

  private messagingSteps(change: Change): Step[] {
    const { field, value } = change;
    const steps = [
      ...this.messageSteps(value, value),
      ...list(value['message_echoes']).flatMap((echo) =>
        this.readable('message', echo['id'], () => this.echoStep(echo)),
      ),
      ...list(value['statuses']).flatMap((status) =>
        this.readable('status', status['id'], () => this.statusStep(status)),
      ),
      ...this.errorSteps(change),
      ...list(value['user_actions']).map(() => this.counted('user_actions')),
    ];
    return steps.length > 0 ? steps : [this.counted(field)];
  }

  /** @param more what the messages have beside what they say */
  private messageSteps(given: Fields, { metadata }: Fields, more: Partial<InboundMessage> = {}): Step[] {
    const contacts = list(given['contacts']) as Contact[];
    return list(given['messages']).flatMap((message) =>
      this.readable('message', message['id'], () =>
        isOwn(message, metadata) ? this.counted('own_message') : this.messageStep(message, contacts, metadata, more),
      ),
    );
  }

  private errorSteps(change: Change): Step[] {
    return list(change.value['errors']).map((error) => {
      const notice = errorNotice(error, change);
      return { key: 'errors', store: () => this.sink.notice(notice) };
    });
  }

  private callSteps(change: Change): Step[] {
    const calls = list(change.value['calls']).map((call): Step => {
      if (call['event'] !== 'terminate') return this.counted(`call_${wordOf(call['event'])}`);
      const notice = callNotice(call, timeOf(call['timestamp']) ?? change.at);
      return { key: 'calls', store: () => this.sink.notice(notice) };
    });
    const statuses = list(change.value['statuses']).map(({ status }) => this.counted(`call_${wordOf(status)}`));
    return [...calls, ...statuses, ...this.errorSteps(change)];
  }

  private statusStep(status: Fields): Step {
    if (isPayment(status)) {
      const payment = paymentOf(status, this.people);
      return { key: payment.sender.id, store: () => this.sink.message(payment) };
    }
    const receipt = readStatus(status);
    if (!receipt) return this.counted(`status_${wordOf(status['status'])}`);
    return { key: receipt.platformMessageId, store: () => this.sink.receipt(receipt) };
  }

  private echoStep(echo: NotifiedMessage): Step {
    if (isChange(echo)) {
      const change = changeOf(echo, authorOfEcho(echo));
      return change ? { key: authorOfEcho(echo), store: () => this.sink.change(change) } : this.counted(typeOf(echo));
    }
    const received = readEcho(echo, this.people);
    if (isReaction(echo)) return this.reactionStep(echo, received, received.sender.id);
    return { key: received.sender.id, store: () => this.sink.echo(received) };
  }

  private reactionStep(
    message: NotifiedMessage,
    { participant, sender }: Pick<InboundMessage, 'participant' | 'sender'>,
    key: string,
  ): Step {
    const reaction = reactionOf(message, { participantId: participant.id, authorId: sender.id });
    return reaction ? { key, store: () => this.sink.reaction(reaction) } : this.counted('reaction');
  }

  private messageStep(
    message: NotifiedMessage,
    contacts: readonly Contact[],
    metadata: unknown,
    more: Partial<InboundMessage>,
  ): Step {
    const type = typeOf(message);
    if (type === 'system')
      return this.moveStep(systemChange(message, this.people), `system_${wordOf(fieldsOf(message['system'])['type'])}`);
    if (type === 'request_welcome') return this.counted(type);
    const received = { ...readMessage(message, contacts, this.people, metadata), ...more };
    const identity = identityOf(message, contacts);
    const key = identity.userId ?? received.sender.id;
    if (isReaction(message)) return this.reactionStep(message, received, key);
    const change = isChange(message) ? changeOf(message, received.sender.id) : undefined;
    // A change that cannot be read has no effect.
    if (isChange(message) && !change) return this.counted(type);
    const pair = this.people.newPair(identity);
    const store = async (): Promise<void> => {
      if (pair) {
        await this.sink.migrate(pair.userId, pair.phone);
        this.people.remember(pair.phone, pair.userId);
      }
      if (change) return this.sink.change(change);
      await this.sink.message(received);
    };
    // Not the participant's id: in one batch it may be the user id at first, and the number once that is known.
    return { key, store };
  }

  private moveStep(change: IdentityChange | undefined, kind: string): Step {
    if (!change) return this.counted(kind);
    const { from, to, pair } = change;
    const store = async (): Promise<void> => {
      for (const former of from) await this.sink.migrate(former, to);
      if (pair) this.people.remember(pair.phone, pair.userId);
    };
    return { key: from[0] ?? to, store };
  }

  /** Something that is no message, change, reaction, receipt or notice. */
  private counted(kind: string): Step {
    return { key: 'counted', store: () => Promise.resolve(this.sink.ignored(kind)) };
  }

  /** Skips malformed updates with a warning: a repetition would be malformed too. */
  private readable(what: string, id: unknown, read: () => Step): Step[] {
    try {
      return [read()];
    } catch (error) {
      const message = `A ${what} (${JSON.stringify(id)}) of a notification was skipped: ${withoutStop(wordsOf(error))}.`;
      this.warn({ code: 'unusable_notification', message });
      return [];
    }
  }
}
