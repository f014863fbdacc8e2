import { Injectable } from '@nestjs/common';
import { newUuid } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Configuration } from '../../core/config/configuration';
import { failureNotice } from '../mail/owner-mail';
import { SecretBox } from '../endpoints/secret-box.service';
import { attemptHeaders } from './attempt-headers';
import type { DueDispatch } from './due-dispatches.service';
import type { AttemptRecord } from './attempt-recorder.service';
import { Poster } from './webhook-client.service';
import { isTestEvent } from './test-event';
import { judge, type Exchange, type Verdict } from './outcome';

/** Makes attempts: signs, posts, judges. Recording is the ledger's. */
@Injectable()
export class Attempts {
  constructor(
    private readonly configuration: Configuration,
    private readonly clock: Clock,
    private readonly secrets: SecretBox,
    private readonly poster: Poster,
  ) {}

  /**
   * One attempt.
   * @param signal gives up; rejects with its reason
   */
  async make(dispatch: DueDispatch, signal?: AbortSignal): Promise<AttemptRecord> {
    const { event_id, event_type, webhook_id, body } = dispatch;
    const now = this.clock.now();
    const id = newUuid(now);
    const headers = attemptHeaders({
      eventId: event_id,
      eventType: event_type,
      deliveryId: id,
      body,
      secret: this.secrets.open(dispatch.secret, webhook_id),
      previousSecret: dispatch.previous_secret ? this.secrets.open(dispatch.previous_secret, webhook_id) : undefined,
      now,
    });
    const exchange = await this.poster.post(dispatch.url, headers, body, signal);
    const verdict = this.judge(dispatch, exchange);
    return {
      id,
      webhook_id,
      event_id,
      url: dispatch.url,
      environment: dispatch.environment,
      event_type,
      fence: dispatch.fence,
      number: dispatch.attempts + 1,
      status: verdict.status,
      response_code: exchange.responseCode,
      response_time_ms: exchange.responseTimeMs,
      response_body: exchange.responseBody,
      error: verdict.error,
      at: new Date(now),
      state: verdict.state,
      retry_after_seconds: verdict.retryAfterSeconds,
      webhook_status: verdict.webhookStatus,
      ...(verdict.webhookStatus === 'failed' && this.notice(dispatch, verdict, now)),
    };
  }

  /** A test event is tried once each time it is asked for, and fails no webhook; a receiver that is gone for good is gone. */
  private judge(dispatch: DueDispatch, exchange: Exchange): Verdict {
    if (isTestEvent(dispatch)) {
      const verdict = judge(exchange, 0, []);
      return verdict.webhookStatus === 'failed' ? { ...verdict, webhookStatus: null } : verdict;
    }
    return judge(exchange, dispatch.retries, this.configuration.webhooks.retrySchedule);
  }

  private notice(dispatch: DueDispatch, { error }: Verdict, now: number) {
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
