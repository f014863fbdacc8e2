import { Injectable } from '@nestjs/common';
import { newUuid, toPublicId, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Bindings } from '../../core/database/bindings';
import { Database, statement } from '../../core/database/database.service';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { pageOf, sliceOf, type Page, type PageRow } from '../../core/pagination/list-page';
import { timeRange } from '../../core/pagination/list-query.dto';
import { createdWithin } from '../../core/pagination/list-statement';
import { plainList } from '../../core/pagination/plain-list';
import { ParameterChecks } from '../../core/validation/parameter-checks.service';
import { parseSort } from '../../core/pagination/sort';
import { WorkSignals } from '../../core/jobs/work-signals.service';
import { Deliveries } from './deliveries.service';
import { DISPATCHES } from '../dispatch/dispatcher.service';
import { SORTABLE, type WebhookListQuery } from '../dto/webhook-query.dto';
import { CreateWebhookDto, UpdateWebhookDto } from '../dto/webhook-requests.dto';
import type { CreatedWebhookDto, DeletedWebhookDto, WebhookDetailDto, WebhookDto } from '../dto/webhook.dto';
import { ReceiverGuard } from '../guard/receiver-guard.service';
import { generateSecret, SecretBox } from './secret-box.service';
import { toWebhook, WEBHOOK_COLUMNS, type WebhookRow } from './webhook-rows';

/** How long the secret before a change signs beside the new one, in hours. */
const OVERLAP_HOURS = 24;

const INSERT = statement(
  'webhook-insert',
  `INSERT INTO webhooks (id, environment, url, events, secret, created_at, updated_at)
   VALUES ($1, $2, $3, $4, $5, $6::timestamptz, $6::timestamptz) RETURNING ${WEBHOOK_COLUMNS}`,
);
const READ = statement('webhook-read', `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE id = $1 AND environment = $2`);
const SECRET = statement('webhook-secret', 'SELECT secret FROM webhooks WHERE id = $1 AND environment = $2');
const DELETE = statement('webhook-delete', 'DELETE FROM webhooks WHERE id = $1 AND environment = $2 RETURNING id');

/**
 * A failed webhook that is enabled, or disabled, begins anew; null leaves a column as it is. An attempt that is under way
 * then decides nothing any more, and is made again: as the last of its round it would fail the webhook at once. Locked in
 * the order of `inLockOrder`. With $7 the webhook is changed only if that is the secret still: a lock on the webhook, taken
 * first, would invert that order. Dispatches that begin anew in vain do so once more.
 */
const UPDATE = statement(
  'webhook-update',
  `WITH waiting AS (
     SELECT d.event_id FROM webhook_dispatches d JOIN webhooks w ON w.id = d.webhook_id
     WHERE $5::boolean AND w.id = $1 AND w.environment = $2 AND w.status <> 'active' AND d.next_at IS NOT NULL
     ORDER BY d.event_id FOR UPDATE OF d
   ),
   renewed AS (
     UPDATE webhook_dispatches d SET retries = 0, lease_until = NULL, fence = d.fence + 1 FROM waiting
     WHERE d.event_id = waiting.event_id AND d.webhook_id = $1
   )
   UPDATE webhooks SET url = coalesce($3, url), events = coalesce($4::text[], events),
     status = CASE $5::boolean WHEN true THEN 'active' WHEN false THEN 'disabled' ELSE status END,
     secret = coalesce($6::bytea, secret),
     previous_secret = CASE WHEN $6::bytea IS NULL THEN previous_secret ELSE secret END,
     previous_secret_until = CASE WHEN $6::bytea IS NULL THEN previous_secret_until
       ELSE now() + interval '${OVERLAP_HOURS} hours' END,
     updated_at = now()
   WHERE id = $1 AND environment = $2 AND ($7::bytea IS NULL OR secret = $7) RETURNING ${WEBHOOK_COLUMNS}`,
);

@Injectable()
export class WebhooksService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    guard: ReceiverGuard,
    checks: ParameterChecks,
    private readonly secrets: SecretBox,
    private readonly deliveries: Deliveries,
    private readonly queue: WorkSignals,
  ) {
    checks.add(CreateWebhookDto, 'url', (url) => guard.urlFault(url));
    checks.add(UpdateWebhookDto, 'url', (url) => guard.urlFault(url));
  }

  async create(environment: Environment, request: CreateWebhookDto): Promise<CreatedWebhookDto> {
    const now = this.clock.now();
    const id = newUuid(now);
    const secret = request.secret ?? generateSecret();
    const sealed = this.secrets.seal(secret, id);
    const values = [id, environment, request.url, request.events, sealed, new Date(now)];
    const [row] = await this.database.query<WebhookRow>(INSERT, values);
    return { ...toWebhook(row!), ...(request.secret === undefined && { secret }) };
  }

  async list(environment: Environment, query: WebhookListQuery): Promise<Page<WebhookDto>> {
    const slice = sliceOf(query, parseSort(query.sort ?? '-created_at', SORTABLE));
    const bindings = new Bindings();
    const conditions = [
      `environment = ${bindings.inSight(environment, 'environment')}`,
      ...(query.status ? [`status = ${bindings.inSight(query.status, 'text')}`] : []),
      ...createdWithin(timeRange(query), bindings),
    ];
    const parts = { name: 'webhooks-list', table: 'webhooks', columns: WEBHOOK_COLUMNS, conditions, slice };
    const rows = await this.database.query<PageRow<WebhookRow>>(plainList(parts, bindings), bindings.values);
    return pageOf(rows, query, toWebhook);
  }

  async read(environment: Environment, id: string): Promise<WebhookDetailDto> {
    const [row] = await this.database.query<WebhookRow>(READ, [id, environment]);
    if (!row) throw unknownWebhook(id);
    return { ...toWebhook(row), recent_deliveries: await this.deliveries.recent(id) };
  }

  async update(environment: Environment, id: string, request: UpdateWebhookDto): Promise<WebhookDto> {
    const { url, events, enabled, secret } = request;
    for (;;) {
      // Null: whichever it is.
      const present = secret === undefined ? null : await this.sealedSecret(environment, id);
      const sealed = present && this.resealed(secret!, present, id);
      const values = [id, environment, url ?? null, events ?? null, enabled ?? null, sealed, present];
      const [row] = await this.database.query<WebhookRow>(UPDATE, values);
      if (row) {
        // What had become due while it was out of service waits for no sweep.
        if (enabled) this.queue.signal(DISPATCHES);
        return toWebhook(row);
      }
      if (!present) throw unknownWebhook(id);
      // Somebody changed the secret meanwhile: whether this request changes it is another question now.
    }
  }

  /** @throws ApiError RESOURCE_NOT_FOUND */
  private async sealedSecret(environment: Environment, id: string): Promise<Buffer> {
    const [row] = await this.database.query<{ secret: Buffer }>(SECRET, [id, environment]);
    if (!row) throw unknownWebhook(id);
    return row.secret;
  }

  /** Null for a repeated change of the secret, which is none: the former secret goes on signing beside it. */
  private resealed(secret: string, present: Buffer, id: string): Buffer | null {
    return this.secrets.open(present, id) === secret ? null : this.secrets.seal(secret, id);
  }

  /** @throws ApiError RESOURCE_NOT_FOUND */
  async mustExist(environment: Environment, id: string): Promise<void> {
    const rows = await this.database.query(READ, [id, environment]);
    if (rows.length === 0) throw unknownWebhook(id);
  }

  async delete(environment: Environment, id: string): Promise<DeletedWebhookDto> {
    const rows = await this.database.query(DELETE, [id, environment]);
    if (rows.length === 0) throw unknownWebhook(id);
    return { id: toPublicId('webhook', id), deleted: true };
  }
}

export function unknownWebhook(id: string): ApiError {
  return ApiError.notFound('webhook', toPublicId('webhook', id));
}
