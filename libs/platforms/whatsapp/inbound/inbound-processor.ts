import { wordsOf } from '../../fault-words';
import type { ConnectionFault, InboundMessage, InboundSink } from '../../platform.port';
import { withoutStop } from '../../refusal';
import {
  authorOfEcho,
  changeOf,
  identityOf,
  isChange,
  isOwn,
  isReaction,
  numberChange,
  reactionOf,
  readEcho,
  readMessage,
  readStatus,
} from './inbound-message';
import type { Change, NotifiedMessage } from './notification';
import type { People } from './people';

/** How many messages of people, and receipts of different messages, are stored at once. */
const CONCURRENT = 16;

/** One thing to store. Steps with the same key are stored in the order of their arrival. */
interface Step {
  key: string;
  store: () => Promise<void>;
}

/** Stores everything that a notification tells: every message and every status of every change. */
export class InboundProcessor {
  constructor(
    private readonly sink: InboundSink,
    private readonly people: People,
    private readonly warn: (fault: ConnectionFault) => void,
  ) {}

  /** @returns false when something could not be stored: the whole notification must come again then */
  async all(changes: readonly Change[]): Promise<boolean> {
    const steps = changes.flatMap((change) => this.stepsOf(change));
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
    const { contacts = [], messages = [], statuses = [], message_echoes: echoes = [] } = change;
    return [
      ...messages
        .filter((message) => !isOwn(message, change))
        .flatMap((message) => this.readable('message', message.id, () => this.messageStep(message, contacts))),
      ...echoes.flatMap((echo) => this.readable('message', echo.id, () => this.echoStep(echo))),
      ...statuses.flatMap((status) =>
        this.readable('status', status.id, () => {
          const receipt = readStatus(status);
          return receipt && { key: receipt.platformMessageId, store: () => this.sink.receipt(receipt) };
        }),
      ),
    ];
  }

  private echoStep(echo: NotifiedMessage): Step | undefined {
    if (isChange(echo)) {
      const change = changeOf(echo, authorOfEcho(echo));
      return change && { key: authorOfEcho(echo), store: () => this.sink.change(change) };
    }
    const received = readEcho(echo, this.people);
    if (isReaction(echo)) return this.reactionStep(echo, received, received.sender.id);
    return { key: received.sender.id, store: () => this.sink.echo(received) };
  }

  private reactionStep(
    message: NotifiedMessage,
    { participant, sender }: Pick<InboundMessage, 'participant' | 'sender'>,
    key: string,
  ): Step | undefined {
    const reaction = reactionOf(message, { participantId: participant.id, authorId: sender.id });
    return reaction && { key, store: () => this.sink.reaction(reaction) };
  }

  private messageStep(message: NotifiedMessage, contacts: NonNullable<Change['contacts']>): Step | undefined {
    const received = readMessage(message, contacts, this.people);
    const identity = identityOf(message, contacts);
    const key = identity.userId ?? received.sender.id;
    if (isReaction(message)) return this.reactionStep(message, received, key);
    const change = isChange(message) ? changeOf(message, received.sender.id) : undefined;
    // A change that cannot be read has no effect.
    if (isChange(message) && !change) return undefined;
    const moved = numberChange(message);
    const pair = this.people.newPair(identity);
    const store = async (): Promise<void> => {
      if (pair) {
        await this.sink.migrate(pair.userId, pair.phone);
        this.people.remember(pair.phone, pair.userId);
      }
      if (change) return this.sink.change(change);
      await this.sink.message(received);
      if (moved) await this.sink.migrate(moved.from, moved.to);
    };
    // Not the participant's id: in one batch it may be the user id at first, and the number once that is known.
    return { key, store };
  }

  /** Skips malformed updates with a warning: a repetition would be malformed too. */
  private readable(what: string, id: unknown, read: () => Step | undefined): Step[] {
    try {
      const step = read();
      return step ? [step] : [];
    } catch (error) {
      const message = `A ${what} (${JSON.stringify(id)}) of a notification was skipped: ${withoutStop(wordsOf(error))}.`;
      this.warn({ code: 'unusable_notification', message });
      return [];
    }
  }
}
