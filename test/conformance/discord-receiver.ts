import type { DiscordFake } from '../fakes/discord.fake';
import { DiscordHarness } from './discord.harness';
import type { RecordingSink } from './recording-sink';
import { Session } from './session';

/** A text channel of a guild, in which Ada writes. */
export const CHANNEL = '77';
export const GUILD = '900';
export const ADA = { id: '41', username: 'ada', global_name: 'Ada' };

/** A message that Ada writes in her direct messages, without content. */
export const MESSAGE = {
  channel_id: '7001',
  type: 0,
  author: ADA,
  content: '',
  timestamp: '2026-11-28T08:00:00.000000+00:00',
  edited_timestamp: null,
  tts: false,
  mention_everyone: false,
  mentions: [],
  mention_roles: [],
  attachments: [],
  embeds: [],
  pinned: false,
};

/** Everything that the adapter said since the last event. */
export type Received = Pick<RecordingSink, 'messages' | 'changes' | 'reactions' | 'notices' | 'leftOut'>;

/** Discord's adapter, connected once. `receive` resolves with what the adapter made of an event. */
export class DiscordReceiver {
  private discord!: DiscordHarness;
  private readonly session = new Session(async () => (this.discord = await DiscordHarness.start()));
  private ids = 9_000;

  async start(arrange: (fake: DiscordFake) => void = () => undefined): Promise<void> {
    await this.session.open();
    arrange(this.fake);
    await this.session.connect();
    await this.settle();
  }

  stop(): Promise<void> {
    return this.session.close();
  }

  get fake(): DiscordFake {
    return this.discord.fake;
  }

  /**
   * @param cause makes the fake send an event
   * @param awaited what the adapter makes of it at last; by default the first thing that it says
   */
  async after(cause: () => void, awaited?: keyof Received): Promise<Received> {
    cause();
    await this.session.sink.until((sink) => (awaited ? sink[awaited].length > 0 : this.count() > 0));
    return this.settle();
  }

  receive(t: string, d: object): Promise<Received> {
    return this.after(() => this.fake.gateway.dispatch(t, { ...d }));
  }

  /** @param fields of a message that Ada writes in her direct messages */
  message(fields: object): Promise<Received> {
    return this.receive('MESSAGE_CREATE', { ...MESSAGE, id: String((this.ids += 1)), ...fields });
  }

  private count(): number {
    const { messages, changes, reactions, notices, leftOut } = this.session.sink;
    return [messages, changes, reactions, notices, leftOut].flat().length;
  }

  /** Takes what was recorded, once all events before are done: events of different channels run in parallel. */
  private async settle(): Promise<Received> {
    const { sink } = this.session;
    const end = String((this.ids += 1));
    this.fake.gateway.dispatch('MESSAGE_CREATE', { ...MESSAGE, id: end, content: 'end' });
    await sink.until(({ messages }) => messages.some(({ platformMessageId }) => platformMessageId === end));
    const { messages, changes, reactions, notices, leftOut } = sink;
    const received = {
      messages: messages.splice(0).filter(({ platformMessageId }) => platformMessageId !== end),
      changes: changes.splice(0),
      reactions: reactions.splice(0),
      notices: notices.splice(0),
      leftOut: leftOut.splice(0),
    };
    return received;
  }
}
