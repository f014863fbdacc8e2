import { newUuid, toPublicId } from '#contracts';
import {
  ConnectionError,
  type Interactive,
  type OutboundPart,
  type PartOutcome,
  type PlatformAdapter,
  type SendOptions,
} from '#platforms';
import type { ConformanceHarness } from './harness';
import { RecordingSink } from './recording-sink';

export const PLAIN: SendOptions = { parseMode: 'plain', disableNotification: false, linkPreview: true };

const FIRST_MESSAGE_ID = 'msg_01h455vb4pex5vsknk084sn02q';

/** The platform, sink and connection of one test. */
export class Session {
  harness!: ConformanceHarness;
  sink = new RecordingSink();
  private abort = new AbortController();
  private running: Promise<unknown>[] = [];
  private sends = 0;

  constructor(private readonly start: () => Promise<ConformanceHarness>) {}

  async open(): Promise<void> {
    this.sink = new RecordingSink();
    this.sends = 0;
    this.harness = await this.start();
  }

  async close(): Promise<void> {
    await this.disconnect();
    await this.harness.stop();
  }

  /** Starts the connection. @returns the promise of `run` */
  run(adapter: PlatformAdapter = this.harness.adapter): Promise<void> {
    if (this.abort.signal.aborted) this.abort = new AbortController();
    this.harness.listen?.(this.sink);
    const running = adapter.run(this.sink, this.sink, this.abort.signal);
    this.running.push(running.catch(() => undefined));
    return running;
  }

  /** Starts the connection and waits for its first proof. */
  async connect(adapter?: PlatformAdapter): Promise<{ running: Promise<void> }> {
    const before = this.sink.proofs.length;
    const running = this.run(adapter);
    await Promise.race([this.sink.until(({ proofs }) => proofs.length > before), running]);
    return { running };
  }

  /** Aborts the connection without waiting for its end. */
  interrupt(): void {
    this.abort.abort();
  }

  async disconnect(): Promise<void> {
    this.interrupt();
    this.harness.listen?.(undefined);
    await Promise.all(this.running);
    this.running = [];
  }

  async send(
    text: string,
    options: Partial<SendOptions> = {},
    recipient = this.harness.recipient,
  ): Promise<PartOutcome[]> {
    const all = { ...PLAIN, ...options };
    return this.sendParts(this.harness.adapter.split(text, all), all, recipient);
  }

  /** Sends a text with interactive options. */
  async offer(text: string, interactive: Interactive): Promise<PartOutcome[]> {
    const { adapter, recipient } = this.harness;
    const plan = await adapter.plan!({ recipient, text, interactive, options: PLAIN });
    if ('refusal' in plan) throw new Error(plan.refusal);
    return this.sendParts(plan.parts, PLAIN, recipient);
  }

  private async sendParts(
    parts: readonly OutboundPart[],
    options: SendOptions,
    recipient: string,
  ): Promise<PartOutcome[]> {
    const request = { messageId: this.nextMessageId(), environment: 'live', recipient, options } as const;
    const outcomes: PartOutcome[] = [];
    for (const part of parts) outcomes.push(await this.sendPart(request, part));
    return outcomes;
  }

  /** A new id per send: a platform that deduplicates would otherwise treat the second send as the first. */
  nextMessageId(): string {
    this.sends += 1;
    return this.sends === 1 ? FIRST_MESSAGE_ID : toPublicId('message', newUuid());
  }

  private sendPart(request: Parameters<PlatformAdapter['sendPart']>[0], part: OutboundPart): Promise<PartOutcome> {
    return this.harness.adapter.sendPart(request, part, new AbortController().signal);
  }
}

/** The ConnectionError that `run` rejects with. */
export async function failureOf(running: Promise<void>): Promise<ConnectionError> {
  const error: unknown = await running.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConnectionError)) throw new Error(`run ended with ${String(error)}`);
  return error;
}

/** All text of an error that could get into a log. */
export function shownBy(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error);
  return [error.stack, JSON.stringify(error), error.cause === undefined ? '' : shownBy(error.cause)].join('\n');
}
