import { inspect } from 'node:util';
import type {
  AccountNotice,
  ConnectionDetails,
  ConnectionFault,
  ConnectionObserver,
  InboundMessage,
  InboundSink,
  MarketingPreference,
  MessageChange,
  Reaction,
  Receipt,
} from '#platforms';

const TIMEOUT_MS = 10_000;

/** Records in memory everything that an adapter delivers and reports. `refuses` makes it fail like a database. */
export class RecordingSink implements InboundSink, ConnectionObserver {
  readonly attempts: InboundMessage[] = [];
  readonly messages: InboundMessage[] = [];
  readonly echoes: InboundMessage[] = [];
  readonly receipts: Receipt[] = [];
  readonly changes: MessageChange[] = [];
  readonly reactions: Reaction[] = [];
  readonly migrations: [from: string, to: string][] = [];
  readonly proofs: ConnectionDetails[] = [];
  readonly warnings: ConnectionFault[] = [];
  readonly backlogs: number[] = [];
  readonly notices: AccountNotice[] = [];
  readonly preferences: MarketingPreference[] = [];
  /** Kinds of updates that the adapter left out. */
  readonly leftOut: string[] = [];
  readonly unknownAccounts: string[] = [];
  templateChanges = 0;
  /** Returns true for messages that the sink must fail to store. */
  refuses: (message: InboundMessage) => boolean = () => false;
  /** The last stored messages, from before the start of the adapter. */
  lastSeen: InboundSink['lastSeen'] = () => Promise.resolve([]);
  private readonly waiting = new Set<() => void>();

  async message(message: InboundMessage): Promise<void> {
    this.record(this.attempts, message);
    if (this.refuses(message)) throw new Error('the database is away');
    this.record(this.messages, message);
  }

  async echo(message: InboundMessage): Promise<void> {
    this.record(this.echoes, message);
  }

  async receipt(receipt: Receipt): Promise<void> {
    this.record(this.receipts, receipt);
  }

  async change(change: MessageChange): Promise<void> {
    this.record(this.changes, change);
  }

  async reaction(reaction: Reaction): Promise<void> {
    this.record(this.reactions, reaction);
  }

  async migrate(from: string, to: string): Promise<void> {
    this.record(this.migrations, [from, to]);
  }

  async notice(notice: AccountNotice): Promise<void> {
    this.record(this.notices, notice);
  }

  async marketing(preference: MarketingPreference): Promise<void> {
    this.record(this.preferences, preference);
  }

  ignored(kind: string): void {
    this.record(this.leftOut, kind);
  }

  unknownAccount(account: string): void {
    this.record(this.unknownAccounts, account);
  }

  templatesChanged(): void {
    this.templateChanges += 1;
  }

  proven(details: ConnectionDetails): void {
    this.record(this.proofs, details);
  }

  warning(fault: ConnectionFault): void {
    this.record(this.warnings, fault);
  }

  backlog(waiting: number): void {
    this.record(this.backlogs, waiting);
  }

  /**
   * Resolves once the fact is true; checked at each new record. Rejects after 10 s with a summary of the records.
   */
  async until(fact: (sink: this) => boolean): Promise<void> {
    if (fact(this)) return;
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (!fact(this)) return;
        clearTimeout(timer);
        this.waiting.delete(look);
        resolve();
      };
      const giveUp = (): void => {
        this.waiting.delete(look);
        reject(new Error(`after ${TIMEOUT_MS} ms: ${this.describe()}`));
      };
      const timer = setTimeout(giveUp, TIMEOUT_MS);
      this.waiting.add(look);
    });
  }

  private describe(): string {
    const { attempts, messages, receipts, migrations, proofs, warnings, backlogs } = this;
    const contents = messages.map(({ content }) => content);
    const counts = { attempts: attempts.length, messages: messages.length, proofs: proofs.length };
    return inspect({ ...counts, contents, receipts, migrations, warnings, backlogs }, { depth: 4 });
  }

  private record<T>(list: T[], entry: T): void {
    list.push(entry);
    for (const look of this.waiting) look();
  }
}
