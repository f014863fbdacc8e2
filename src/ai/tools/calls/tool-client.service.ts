import { Injectable } from '@nestjs/common';
import { toPublicId, type Environment } from '#contracts';
import { KeyedSemaphore } from '#http-client';
import { Siblings } from '../../../core/cluster/siblings.service';
import { Clock } from '../../../core/clock/clock.service';
import { HostRate } from '../../../core/egress/host-rate.service';
import { ReceiverClient } from '../../../core/egress/receiver-client.service';
import { signedHeaders } from '../../../core/egress/signed-headers';
import { Metrics } from '../../../core/observability/metrics.service';
import { Tracer } from '../../../core/observability/tracing/tracer';
import { currentSecrets } from '../../../core/secrets/rolled-secret';
import { SecretBox } from '../../../core/secrets/secret-box.service';
import { VERSION } from '../../../core/version';
import type { ToolEntity } from '../entities/tool.entity';
import { CALLS_AT_ONCE } from '../tool-limits';
import { outcomeOf, type ToolOutcome } from './tool-outcome';

const USER_AGENT = `Messaging-Gateway-Tools/${VERSION}`;

/** The conversation of a call, as its receiver gets it. */
export interface CalledFrom {
  conversation: { id: string; platform: string; account: object | null } | null;
  participant: { id: string; name: string | null; username: string | null } | null;
  message_id: string | null;
}

export const FROM_NOWHERE: CalledFrom = { conversation: null, participant: null, message_id: null };

export interface ToolPost {
  /** UUID of the call. */
  id: string;
  environment: Environment;
  arguments: unknown;
  from: CalledFrom;
}

export interface CallTime {
  /** Gives up: the promise rejects with its reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds left for the call, with the wait for its turn. */
  leftMs?: number;
}

export type SigningTool = Pick<
  ToolEntity,
  'id' | 'name' | 'url' | 'timeoutSeconds' | 'secret' | 'previousSecret' | 'previousSecretUntil'
>;

/** Calls tools: a signed POST, as deliveries of webhooks are. */
@Injectable()
export class ToolClient {
  private readonly places: KeyedSemaphore;

  constructor(
    private readonly receivers: ReceiverClient,
    private readonly hosts: HostRate,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    private readonly tracer: Tracer,
    siblings: Siblings,
  ) {
    this.places = new KeyedSemaphore(siblings.shareOf(CALLS_AT_ONCE));
  }

  /** @returns the outcome, whatever the receiver does */
  async call(tool: SigningTool, post: ToolPost, { signal, leftMs = Infinity }: CallTime = {}): Promise<ToolOutcome> {
    const startedAt = performance.now();
    const elapsed = () => Math.round(performance.now() - startedAt);
    const patience = Number.isFinite(leftMs) ? AbortSignal.timeout(Math.max(0, Math.ceil(leftMs))) : undefined;
    const waiting = AbortSignal.any([signal, patience].filter((one) => one !== undefined));
    let outcome: ToolOutcome;
    try {
      outcome = await this.places.run(
        tool.id,
        async () => {
          await this.hosts.turn(tool.url, waiting, post.environment);
          return this.send(tool, post, { signal, leftMs: leftMs - elapsed() });
        },
        waiting,
      );
    } catch (error) {
      signal?.throwIfAborted();
      if (!patience?.aborted) throw error;
      outcome = { status: 'timed_out', ms: elapsed(), result: null, error: 'The time of the answer ran out' };
    }
    this.metrics.toolCalled(outcome.status, post.environment, outcome.ms);
    return outcome;
  }

  private send(tool: SigningTool, post: ToolPost, { signal, leftMs = Infinity }: CallTime): Promise<ToolOutcome> {
    const id = toPublicId('tool_call', post.id);
    const body = JSON.stringify({ id, name: tool.name, arguments: post.arguments, ...post.from });
    const now = this.clock.now();
    const headers = signedHeaders(
      { id, now, userAgent: USER_AGENT },
      { body, ...currentSecrets(this.secrets, tool, now) },
    );
    const span = { kind: 'client', attributes: { 'gateway.tool': tool.name }, ids: { call_id: id } } as const;
    return this.tracer.run('call tool', span, async (calling) => {
      const { traceparent } = this.tracer;
      if (traceparent !== undefined) headers['traceparent'] = traceparent;
      const timeoutMs = Math.max(1, Math.min(tool.timeoutSeconds * 1_000, leftMs));
      const outcome = outcomeOf(await this.receivers.post(tool.url, headers, body, { signal, timeoutMs, whole: true }));
      if (outcome.status !== 'success') calling.fail(outcome.status);
      return outcome;
    });
  }
}
