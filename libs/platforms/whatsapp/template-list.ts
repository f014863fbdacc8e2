import type { PlatformTemplate, TemplateComponent } from '../template.port';
import type { GraphApi } from './graph-api';
import { idText, list, text } from './inbound/notification';

const PAGE = 100;
/** An account has at most 6,000 templates, each in several languages. */
const MOST_PAGES = 500;
const FIELDS = 'id,name,language,status,category,components,parameter_format';

/**
 * All templates of a business account: https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates
 * Rejects as a call of the Graph API does.
 */
export async function listTemplates(
  api: GraphApi,
  accountId: string,
  limits: { signal: AbortSignal; deadlineMs: number },
): Promise<PlatformTemplate[]> {
  const templates: PlatformTemplate[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { fields: FIELDS, limit: String(PAGE), ...(after !== undefined && { after }) };
    const { data, paging } = await api.get(`${accountId}/message_templates`, query, limits);
    templates.push(...list(data).flatMap(templateOf));
    const { cursors, next } = (paging ?? {}) as { cursors?: { after?: unknown }; next?: unknown };
    after = text(next) === undefined ? undefined : text(cursors?.after);
    if (after === undefined) break;
  }
  return templates;
}

/** Leaves out a template that lacks a field that a send needs. */
function templateOf(item: Record<string, unknown>): PlatformTemplate[] {
  const [id, name, language] = [idText(item['id']), text(item['name']), text(item['language'])];
  if (id === undefined || name === undefined || language === undefined) return [];
  return [
    {
      id,
      name,
      language,
      category: text(item['category']) ?? 'UNKNOWN',
      status: text(item['status']) ?? 'UNKNOWN',
      parameterFormat: item['parameter_format'] === 'NAMED' ? 'NAMED' : 'POSITIONAL',
      components: list(item['components']).filter(
        (component): component is TemplateComponent => typeof component['type'] === 'string',
      ),
    },
  ];
}
