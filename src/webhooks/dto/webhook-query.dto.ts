import { ApiPropertyOptional } from '@nestjs/swagger';
import { DatedListQuery } from '../../core/pagination/list-query.dto';
import { OneOf, Optional } from '../../core/validation/parameters.decorator';
import { SortBy } from '../../core/pagination/sort.decorator';
import { WEBHOOK_STATUSES, type WebhookStatus } from './webhook.dto';

/** Field of `sort` → SQL column. */
export const SORTABLE = { created_at: 'created_at', url: 'url', status: 'status' };

export class WebhookListQuery extends DatedListQuery {
  @SortBy(SORTABLE)
  sort?: string;

  @ApiPropertyOptional({ enum: WEBHOOK_STATUSES, description: 'Only webhooks in this status.' })
  @Optional()
  @OneOf(WEBHOOK_STATUSES)
  status?: WebhookStatus;
}
