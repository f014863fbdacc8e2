import type { PoolClient } from 'pg';
import type { WorkKind } from '../../core/jobs/work-kind';
import { Metrics } from '../../core/observability/metrics.service';
import { NoTracer } from '../../core/observability/tracing/tracer';
import { defaultSettings } from '../../core/settings/settings';
import type { AiAnswer } from '../ai-calls.service';
import { Assistant } from './assistant.service';
import type { ReplyTask } from './reply-tasks.service';

const TASK = {
  conversation_id: '0198c5a5-5f10-7a3e-8a68-2a4d2f6d1c11',
  environment: 'live',
  answered_seq: 1,
  requested_seq: 2,
} as unknown as ReplyTask;

describe(Assistant.name, () => {
  const record = jest.fn<Promise<void>, []>();
  const waste = jest.fn<Promise<void>, []>();
  const answer: AiAnswer = {
    completion: { text: 'At nine.', model: 'm', tokens: { input: 1, output: 2 }, latencyMs: 3 } as never,
    costUsd: 0,
    record,
    publish: () => undefined,
    waste,
  };
  beforeEach(() => {
    record.mockReset().mockResolvedValue();
    waste.mockReset().mockResolvedValue();
  });

  /** One reply; the test scripts the transaction that records its answer. */
  async function reply(transaction: (work: (client: PoolClient) => Promise<unknown>) => Promise<unknown>) {
    const kinds: WorkKind<ReplyTask>[] = [];
    const sut = new Assistant(
      { answered: () => Promise.resolve(), failed: () => Promise.resolve(1) } as never,
      {
        answerUnderWay: () => Promise.resolve(false),
        load: () => Promise.resolve({ messages: [], platform: 'telegram', participantId: '7', aiPaused: false }),
      } as never,
      { complete: () => Promise.resolve(answer) } as never,
      { acceptAnswer: () => Promise.resolve({}) } as never,
      { start: () => () => undefined } as never,
      { of: () => defaultSettings({ model: 'm', ownerEmail: null }) } as never,
      { hit: () => Promise.resolve({ allowed: true }) } as never,
      { secondsUntilTurn: () => Promise.resolve(0) } as never,
      {} as never,
      { register: (kind: WorkKind<ReplyTask>) => kinds.push(kind) } as never,
      { transaction } as never,
      { now: () => Date.now() } as never,
      { ai: { concurrency: 1 } } as never,
      new Metrics(),
      new NoTracer(),
    );
    sut.onModuleInit();
    await kinds[0]!.run(TASK, new AbortController().signal);
  }

  it.each<[string, Parameters<typeof reply>[0]]>([
    ['cannot begin', () => Promise.reject(new Error('no room'))],
    ['is rolled back', (work) => work({} as PoolClient)],
  ])('bills an answer separately when its transaction %s', async (_, transaction) => {
    record.mockRejectedValue(new Error('no room'));
    await expect(reply(transaction)).rejects.toThrow('no room');
    expect(waste).toHaveBeenCalledTimes(1);
  });

  it('bills nothing separately when it is unknown whether the commit took effect', async () => {
    const broken = reply(async (work) => {
      await work({} as PoolClient);
      throw new Error('the connection broke');
    });
    await expect(broken).rejects.toThrow('the connection broke');
    expect(waste).not.toHaveBeenCalled();
  });
});
