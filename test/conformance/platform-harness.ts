import type { DynamicModule, Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import type { SendFailureCode } from '#contracts';
import type { PlatformAdapter } from '#platforms';
import type { RetryAfter } from '../fakes/fault-queue';
import type { HttpFake } from '../fakes/http-fake';
import type { RefusalCase } from './harness';

/** Shared by the platforms' harnesses: runs the adapter in its own application, and causes the faults of any HTTP API. */
export abstract class PlatformHarness<Adapter extends PlatformAdapter> {
  abstract readonly fake: HttpFake;
  abstract readonly recipient: string;
  readonly refusedToken: SendFailureCode = 'platform_unavailable';
  /** The fake's names for a send and for the first call of a connection. */
  protected abstract readonly operations: { send: string; connect: string };
  private readonly modules: TestingModule[] = [];

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
    await this.fake.stop();
  }

  async comeBack(): Promise<void> {
    await this.fake.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.modules.map((module) => module.close()));
    await this.fake.stop();
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
