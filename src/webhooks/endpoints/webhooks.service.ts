import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager } from 'typeorm';
import { newUuid, toPublicId, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { createdWithin, findPage } from '../../core/pagination/find-page';
import type { Page } from '../../core/pagination/list-page';
import { ParameterChecks } from '../../core/validation/parameter-checks.service';
import { parseSort } from '../../core/pagination/sort';
import { generateSecret } from '../../core/secrets/generate-secret';
import { rolledSecret } from '../../core/secrets/rolled-secret';
import { SecretBox } from '../../core/secrets/secret-box.service';
import { SettingsService } from '../../core/settings/settings.service';
import { Work } from '../../core/work/work.service';
import { Deliveries } from './deliveries.service';
import { WEBHOOKS } from '../dispatch/webhook-work.service';
import { SORTABLE, type WebhookListQuery } from '../dto/webhook-query.dto';
import { CreateWebhookDto, UpdateWebhookDto } from '../dto/webhook-requests.dto';
import type { CreatedWebhookDto, DeletedWebhookDto, WebhookDetailDto, WebhookDto } from '../dto/webhook.dto';
import { Subscriptions } from './subscriptions.service';
import { AddressGuard } from '../../core/egress/address-guard.service';
import { restartRetryRound } from './restart-retry-round';
import { WebhookEntity } from '../entities/webhook.entity';
import { admitNew, admitUrl } from './endpoint-rules';
import { toWebhook } from './webhook-record';

@Injectable()
export class WebhooksService {
  constructor(
    @InjectRepository(WebhookEntity) private readonly webhooks: Repository<WebhookEntity>,
    private readonly clock: Clock,
    private readonly settings: SettingsService,
    guard: AddressGuard,
    checks: ParameterChecks,
    private readonly secrets: SecretBox,
    private readonly deliveries: Deliveries,
    private readonly subscriptions: Subscriptions,
    private readonly work: Work,
  ) {
    checks.add(CreateWebhookDto, 'url', (url) => guard.urlFault(url));
    checks.add(UpdateWebhookDto, 'url', (url) => guard.urlFault(url));
  }

  async create(environment: Environment, request: CreateWebhookDto): Promise<CreatedWebhookDto> {
    const now = this.clock.date();
    const id = newUuid(now.getTime());
    const { url, events, accounts = [] } = request;
    const secret = request.secret ?? generateSecret();
    const sealed = this.secrets.seal(secret, id);
    const times = { createdAt: now, updatedAt: now };
    const webhook = this.webhooks.create({
      id,
      environment,
      url,
      events,
      accounts,
      status: 'active',
      secret: sealed,
      ...times,
    });
    await this.webhooks.manager.transaction(async (manager) => {
      await admitNew(manager, webhook, this.settings.of(environment).webhooks.max_endpoints);
      await manager.insert(WebhookEntity, webhook);
    });
    await this.subscriptions.refresh();
    return { ...toWebhook(webhook), ...(request.secret === undefined && { secret }) };
  }

  list(environment: Environment, query: WebhookListQuery): Promise<Page<WebhookDto>> {
    const where = { environment, ...(query.status && { status: query.status }), ...createdWithin(query) };
    const sort = parseSort(query.sort ?? '-created_at', SORTABLE);
    return findPage(this.webhooks, { where, sort, query }, toWebhook);
  }

  async read(environment: Environment, id: string): Promise<WebhookDetailDto> {
    const webhook = await this.webhooks.findOneBy({ id, environment });
    if (!webhook) throw unknownWebhook(id);
    return { ...toWebhook(webhook), recent_deliveries: await this.deliveries.recent(id) };
  }

  async update(environment: Environment, id: string, request: UpdateWebhookDto): Promise<WebhookDto> {
    let webhook: WebhookEntity | undefined;
    // If another request changes the secret meanwhile, the next round compares with the new secret.
    while (!webhook) {
      webhook = await this.webhooks.manager.transaction((manager) =>
        this.change(manager, { id, environment }, request),
      );
    }
    await this.subscriptions.refresh();
    // Events that became due meanwhile are sent at once, without waiting for the sweep.
    if (request.enabled) this.work.wake(WEBHOOKS, environment, id);
    return toWebhook(webhook);
  }

  /**
   * Locks dispatches before the webhook, as the attempt recorder does: it reads the webhook without a lock, and changes a
   * secret only if it is still the one that it read.
   * @returns undefined if another request has changed the secret meanwhile
   */
  private async change(
    manager: EntityManager,
    which: Pick<WebhookEntity, 'id' | 'environment'>,
    { url, events, accounts, enabled, secret }: UpdateWebhookDto,
  ): Promise<WebhookEntity | undefined> {
    if (url !== undefined) await admitUrl(manager, which, url);
    const webhooks = manager.withRepository(this.webhooks);
    const current = await webhooks.findOne({ where: which, select: { id: true, status: true, secret: true } });
    if (!current) throw unknownWebhook(which.id);
    if (enabled !== undefined && current.status !== 'active') await restartRetryRound(manager, which.id);
    const { affected } = await webhooks.update(secret === undefined ? which : { ...which, secret: current.secret }, {
      url,
      events,
      accounts,
      ...(enabled !== undefined && { status: enabled ? 'active' : 'disabled' }),
      ...(secret !== undefined && rolledSecret(this.secrets, current, secret)),
      updatedAt: () => 'now()',
    });
    return affected ? webhooks.findOneByOrFail(which) : undefined;
  }

  /** @throws ApiError RESOURCE_NOT_FOUND */
  async mustExist(environment: Environment, id: string): Promise<void> {
    if (!(await this.webhooks.existsBy({ id, environment }))) throw unknownWebhook(id);
  }

  async delete(environment: Environment, id: string): Promise<DeletedWebhookDto> {
    const { affected } = await this.webhooks.delete({ id, environment });
    if (!affected) throw unknownWebhook(id);
    return { id: toPublicId('webhook', id), deleted: true };
  }
}

export function unknownWebhook(id: string): ApiError {
  return ApiError.notFound('webhook', toPublicId('webhook', id));
}
