import { Injectable, Logger } from '@nestjs/common';
import { newUuid, toPublicId } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Configuration } from '../../core/config/configuration';
import { Metrics } from '../../core/observability/metrics.service';
import { Tracer } from '../../core/observability/tracing/tracer';
import { currentWork } from '../../core/observability/tracing/work-context';
import { failureNotice } from '../mail/owner-mail';
import { ReceiverClient } from '../../core/egress/receiver-client.service';
import { SecretBox } from '../../core/secrets/secret-box.service';
import { attemptHeaders } from './attempt-headers';
import type { DueDispatch } from './due-dispatches.service';
import type { AttemptRecord } from './attempt-recorder.service';
import { isTestEvent } from './test-event';
import { evaluate, type Outcome } from './outcome';

/** Outcome of an attempt, by the next state of its dispatch. */
const OUTCOMES = { delivered: 'delivered', pending: 'retried', failed: 'failed' } as const;

/** Makes attempts: signs and posts an event, and judges the answer. `AttemptRecorder` records it. */
@Injectable()
export class AttemptRunner {
  private readonly logger = new Logger(AttemptRunner.name);

  constructor(
    private readonly configuration: Configuration,
    private readonly clock: Clock,
    private readonly secrets: SecretBox,
    private readonly poster: ReceiverClient,
    private readonly metrics: Metrics,
    private readonly tracer: Tracer,
  ) {}

  /**
   * Makes one attempt.
   * @param signal ends it; the promise rejects with the signal's reason
   */
  make(dispatch: DueDispatch, signal?: AbortSignal): Promise<AttemptRecord> {
    const now = this.clock.now();
    const id = newUuid(now);
    const { event_id, event_type, webhook_id, attempts, traceparent } = dispatch;
    const span = {
      kind: 'client',
      parent: traceparent,
      attributes: {
        'gateway.event_type': event_type,
        'gateway.attempt': attempts + 1,
      },
      ids: {
        webhook_id: toPublicId('webhook', webhook_id),
        event_id: toPublicId('event', event_id),
        delivery_id: toPublicId('delivery', id),
      },
    } as const;
    return this.tracer.run('deliver webhook', span, async (delivering) => {
      const attempt = await this.attempt(dispatch, { id, now }, signal);
      if (attempt.response_code !== null) delivering.set({ 'http.response.status_code': attempt.response_code });
      if (attempt.status === 'failed') {
        delivering.fail(String(attempt.response_code ?? 'no answer'));
        const { number, response_code, response_time_ms, error, state } = attempt;
        this.logger.debug(
          { event_type, attempt: number, response_code, response_time_ms, error, state },
          'A delivery failed',
        );
      }
      return attempt;
    });
  }

  private async attempt(
    dispatch: DueDispatch,
    { id, now }: { id: string; now: number },
    signal?: AbortSignal,
  ): Promise<AttemptRecord> {
    const { event_id, event_type, webhook_id, body } = dispatch;
    const { traceparent } = this.tracer;
    const headers = attemptHeaders({
      eventId: event_id,
      eventType: event_type,
      deliveryId: id,
      body,
      secret: this.secrets.open(dispatch.secret, webhook_id),
      previousSecret: dispatch.previous_secret ? this.secrets.open(dispatch.previous_secret, webhook_id) : undefined,
      now,
    });
    if (traceparent !== undefined) headers['traceparent'] = traceparent;
    const exchange = await this.poster.post(dispatch.url, headers, body, { signal });
    // A test event is tried once for each request, and its failure does not fail the webhook. Only a 410 disables the webhook.
    const isTest = isTestEvent(dispatch);
    const outcome = evaluate(exchange, dispatch.retries, isTest ? [] : this.configuration.webhooks.retrySchedule);
    if (isTest && outcome.webhookStatus === 'failed') outcome.webhookStatus = null;
    this.metrics.webhookAttempted(OUTCOMES[outcome.state], exchange.responseTimeMs);
    return {
      id,
      webhook_id,
      event_id,
      url: dispatch.url,
      environment: dispatch.environment,
      event_type,
      fence: dispatch.fence,
      number: dispatch.attempts + 1,
      status: outcome.status,
      response_code: exchange.responseCode,
      response_time_ms: exchange.responseTimeMs,
      response_body: exchange.responseBody,
      response_headers: exchange.responseHeaders,
      signed_twice: dispatch.previous_secret !== null,
      error: outcome.error,
      at: new Date(now),
      trace_id: currentWork()?.traceId,
      state: outcome.state,
      retry_after_seconds: outcome.retryAfterSeconds,
      webhook_status: outcome.webhookStatus,
      ...(outcome.webhookStatus === 'failed' && this.notice(dispatch, outcome, now)),
    };
  }

  private notice(dispatch: DueDispatch, { error }: Outcome, now: number) {
    const { subject, text } = failureNotice({
      webhookId: dispatch.webhook_id,
      url: dispatch.url,
      eventId: dispatch.event_id,
      since: dispatch.created_at,
      attempts: dispatch.attempts + 1,
      lastError: error ?? '',
    });
    return { mail_id: newUuid(now), mail_subject: subject, mail_text: text };
  }
}
