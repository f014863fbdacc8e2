import type { List } from '../list';
import type { RequestOptions } from '../options';
import type { GatewayPromise } from '../response';
import type { Transport } from '../transport/transport';
import type { Template, TemplateListParams, TemplateSync } from '../types';

export class Templates {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  list(query?: TemplateListParams, options?: RequestOptions): List<Template> {
    return this.transport.list('/api/v1/templates', { query }, options);
  }

  /** Reads the templates from WhatsApp again. */
  sync(options?: RequestOptions): GatewayPromise<TemplateSync> {
    return this.transport.call('post', '/api/v1/templates/sync', {}, options);
  }
}
