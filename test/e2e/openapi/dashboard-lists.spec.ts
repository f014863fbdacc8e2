import { actionOf } from '../../../libs/dashboard/pages/audit-log/audit-actions';
import { SETTING_GROUPS } from '../../../libs/dashboard/pages/settings/fields/setting-groups';
import { callApi } from '../../support/api';
import { useGateway } from '../../support/gateway';
import type { OpenApiDocument } from '../../openapi/document';

const CHANGING = new Set(['post', 'put', 'patch', 'delete']);

/** Their defaults depend on the environment of the process. */
const FROM_ENVIRONMENT = new Set(['ai.model', 'ai.provider', 'notifications.owner_email']);
/** Maps, whose entries are not settings. */
const MAPS = new Set(['ai.prices', 'platform_prices']);

function leavesOf(settings: object, prefix = ''): string[] {
  return Object.entries(settings).flatMap(([name, value]: [string, unknown]) => {
    const path = `${prefix}${name}`;
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value) && !MAPS.has(path);
    return isGroup ? leavesOf(value, `${path}.`) : [path];
  });
}

function valueAt(settings: object, path: string): unknown {
  return path.split('.').reduce<unknown>((group, name) => (group as Record<string, unknown>)[name], settings);
}

describe('the lists of the dashboard', () => {
  const gateway = useGateway();

  it('have a sentence for every request that changes data', async () => {
    const { body } = await callApi(gateway.url, 'GET', '/docs-json');
    const { paths } = body as unknown as OpenApiDocument;
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => CHANGING.has(method))
        .map((method) => [method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ':$1')] as const),
    );
    expect(routes.length).toBeGreaterThan(20);
    expect(routes.filter(([method, route]) => !actionOf(method, route))).toEqual([]);
  });

  it('show the defaults of the server, and every setting', async () => {
    const { body } = await gateway.api<object>('GET', '/admin/settings', undefined, { key: gateway.testKey });
    const shown = SETTING_GROUPS.flatMap(({ fields }) => fields);
    const names = shown.map(({ name }) => name);
    expect(names.toSorted()).toEqual(leavesOf(body.data).toSorted());
    const own = shown.filter((field) => !FROM_ENVIRONMENT.has(field.name));
    const defaults = own.map((field) => [field.name, field.kind === 'prices' ? {} : field.byDefault]);
    expect(defaults).toEqual(own.map(({ name }) => [name, valueAt(body.data, name)]));
  });
});
