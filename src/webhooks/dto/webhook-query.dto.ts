import { ListQuery } from '../../core/http/list-query.dto';
import { SortBy } from '../../core/http/sort.decorator';

export class WebhookListQuery extends ListQuery {
  @SortBy('created_at', 'url', 'status')
  sort?: string;
}
