import type { List } from '../list';
import type { RequestOptions } from '../options';
import type { Transport } from '../transport/transport';
import type { Template, TemplateQuery, TemplateSync } from '../types';

export class Templates {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  list(query?: TemplateQuery, options?: RequestOptions): List<Template> {
    return this.transport.list('/api/v1/templates', { query }, options);
  }

  /** Reads the templates from WhatsApp again. */
  sync(options?: RequestOptions): Promise<TemplateSync> {
    return this.transport.call('post', '/api/v1/templates/sync', {}, options);
  }
}
