import { Clock } from '../../../core/clock/clock.service';
import type { Siblings } from '../../../core/cluster/siblings.service';
import { shareOf } from '../../../core/config/workers';
import type { HostRate } from '../../../core/egress/host-rate.service';
import type { ReceiverClient } from '../../../core/egress/receiver-client.service';
import type { Metrics } from '../../../core/observability/metrics.service';
import type { Tracer } from '../../../core/observability/tracing/tracer';
import type { SecretBox } from '../../../core/secrets/secret-box.service';
import { CALLS_AT_ONCE } from '../tool-limits';
import { FROM_NOWHERE, ToolClient, type SigningTool } from './tool-client.service';

const TOOL: SigningTool = {
  id: '018f3c6e-0000-7000-8000-000000000001',
  name: 'order_status',
  url: 'https://example.com/',
  timeoutSeconds: 10,
  secret: Buffer.from('sealed'),
  previousSecret: null,
  previousSecretUntil: null,
};

describe(ToolClient, () => {
  it.each([1, 4])('makes 8 calls of a tool at once, shared by %i processes of an instance', async (workers) => {
    let running = 0;
    let most = 0;
    const post = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return { responseTimeMs: 1, timedOut: false, fault: 'the receiver is a stub' };
    };
    const sut = new ToolClient(
      { post } as unknown as ReceiverClient,
      { turn: () => Promise.resolve() } as unknown as HostRate,
      { open: () => 'a secret of good length' } as unknown as SecretBox,
      new Clock(),
      { toolCalled: () => undefined } as unknown as Metrics,
      {
        run: (_name: string, _span: object, work: (span: object) => unknown) => work({ fail: () => undefined }),
      } as unknown as Tracer,
      { shareOf: (limit: number) => shareOf(limit, workers) } as Siblings,
    );
    const call = { id: TOOL.id, environment: 'live', arguments: {}, from: FROM_NOWHERE } as const;
    await Promise.all(Array.from({ length: 20 }, () => sut.call(TOOL, call)));
    expect(most).toBe(CALLS_AT_ONCE / workers);
  });
});
