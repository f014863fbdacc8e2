import type { IncomingMessage } from 'node:http';
import type { DynamicModule, Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import type { Platform, SendFailureCode } from '#contracts';
import type { LiveAdapter, OtherAccount } from '#platforms';
import type { RetryAfter } from '../fakes/fault-queue';
import type { HttpFake } from '../fakes/http-fake';
import { RouterFake } from '../fakes/router.fake';
import type { RefusalCase } from './harness';
import { RecordingSink } from './recording-sink';

/** Shared by the platforms' harnesses: runs the adapter in its own application, and causes the faults of any HTTP API. */
export abstract class PlatformHarness<Adapter extends LiveAdapter> {
  abstract readonly fake: HttpFake;
  abstract readonly recipient: string;
  readonly refusedToken: SendFailureCode = 'platform_unavailable';
  /** The fake's names for a send and for the first call of a connection. */
  protected abstract readonly operations: { send: string; connect: string };
  private readonly modules: TestingModule[] = [];
  /** Set when the suite runs over a further account: the platform of the environment's account, and the address of both. */
  private beside: { fake: HttpFake; router: RouterFake } | undefined;
  private readonly besideSink = new RecordingSink();
  private readonly besideEnds = new AbortController();
  private besideRuns: Promise<void> | undefined;
  private readonly further: LiveAdapter[] = [];
  private wasDown = false;

  #adapter!: Adapter;
  get adapter(): Adapter {
    return this.#adapter;
  }

  protected use(adapter: Adapter): Adapter {
    this.#adapter = adapter;
    return adapter;
  }

  /** Starts another application in this process. */
  protected async adapterOf(type: Type<Adapter>, imported: DynamicModule): Promise<Adapter> {
    const module = await Test.createTestingModule({ imports: [imported] }).compile();
    module.useLogger(false);
    this.modules.push(await module.init());
    return module.get(type);
  }

  /** From now on adapters are of a further account. That of the environment is connected to `fake` in the same process. */
  protected async startBeside(fake: HttpFake, isFor: (request: IncomingMessage) => boolean): Promise<void> {
    const router = new RouterFake((request) => (isFor(request) ? fake.url : this.fake.url));
    await Promise.all([fake.start(), router.start()]);
    this.beside = { fake, router };
  }

  protected get apiUrl(): string {
    return (this.beside?.router ?? this.fake).url;
  }

  /** Makes the adapter of a further account as the gateway does, once the first one is connected. */
  protected async furtherThan(first: Adapter, credentials: object): Promise<Adapter> {
    this.besideRuns ??= first
      .run(this.besideSink, this.besideSink, this.besideEnds.signal)
      .catch((error: unknown) => this.besideSink.warning({ code: 'ended', message: String(error) }));
    await this.besideSink.until(({ proofs }) => proofs.length > 0);
    const adapter = await first.another({
      id: 'acc_01h455vb4pex5vsknk084sn02q',
      credentials,
    } as OtherAccount<Platform>);
    this.further.push(adapter);
    return adapter as Adapter;
  }

  refuseToken(times: number): void {
    this.fake.fail({ status: 401, times });
  }

  calls(): number {
    return this.fake.requests.length;
  }

  loseNextAnswer(): void {
    this.fake.fail({ method: this.operations.send, kind: 'drop_after' });
  }

  hangNextSend(): void {
    this.fake.fail({ method: this.operations.send, kind: 'hang' });
  }

  answerNextSendByProxy(): void {
    this.fake.fail({ method: this.operations.send, status: 502, body: '<html>Bad Gateway</html>' });
  }

  throttleNextSendByProxy(retryAfter: string): void {
    const headers = { 'retry-after': retryAfter };
    this.fake.fail({ method: this.operations.send, status: 429, body: '<html>Too Many Requests</html>', headers });
  }

  throttleNextSend(retryAfter: RetryAfter): void {
    this.fake.fail({ method: this.operations.send, status: 429, retryAfter });
  }

  async hangConnection(): Promise<void> {
    const { connect } = this.operations;
    const before = this.fake.requestsOf(connect).length;
    this.fake.fail({ method: connect, kind: 'hang' });
    await this.fake.waitUntil(
      () => this.fake.requestsOf(connect).length > before,
      () => 'no client connects',
    );
  }

  async goDown(): Promise<void> {
    this.wasDown = true;
    await this.beside?.router.stop();
    await this.fake.stop();
  }

  async comeBack(): Promise<void> {
    await this.fake.start();
    await this.beside?.router.start();
  }

  async stop(): Promise<void> {
    if (this.beside) await this.stopBeside(this.beside);
    await Promise.all(this.modules.map((module) => module.close()));
    await this.fake.stop();
  }

  /** Nothing that happened to the further account reached the first one, except an outage of the whole platform. */
  private async stopBeside({ fake, router }: { fake: HttpFake; router: RouterFake }): Promise<void> {
    this.besideEnds.abort();
    await this.besideRuns;
    await Promise.all(this.further.map((adapter) => adapter.close()));
    await router.stop();
    await fake.shutDown();
    expect(this.besideSink.messages).toEqual([]);
    if (!this.wasDown) expect(this.besideSink.warnings).toEqual([]);
  }

  protected throttledSend(): RefusalCase {
    return {
      name: '429',
      expected: { code: 'rate_limited', platform_code: '429', retryable: true, retryAfterMs: 3_000 },
      arrange: () => {
        this.throttleNextSend(3);
        return this.recipient;
      },
    };
  }

  /** @param times how many attempts the adapter makes */
  protected unansweredSend(times = 1): RefusalCase {
    return {
      name: 'no answer',
      expected: { code: 'ambiguous', platform_code: null, retryable: true },
      arrange: () => {
        this.fake.fail({ method: this.operations.send, kind: 'hang', times });
        return this.recipient;
      },
    };
  }
}
