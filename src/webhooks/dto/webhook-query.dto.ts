import { DatedListQuery } from '../../core/pagination/list-query.dto';
import { SortBy } from '../../core/pagination/sort.decorator';
import { EnumField } from '../../core/validation/fields/word-fields.decorator';
import { WEBHOOK_STATUSES, type WebhookStatus } from './webhook.dto';

/** Field of `sort` → property of the entity. */
export const SORTABLE = { created_at: 'createdAt', url: 'url', status: 'status' };

export class WebhookListQuery extends DatedListQuery {
  @SortBy(SORTABLE)
  sort?: string;

  @EnumField({ words: WEBHOOK_STATUSES, optional: true, description: 'Return only webhooks with this status.' })
  status?: WebhookStatus;
}
