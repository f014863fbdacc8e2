import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MetricObject, MetricValue } from 'prom-client';
import { REFUSAL_LIMITS } from '../../../src/core/observability/metric-labels';
import { Metrics } from '../../../src/core/observability/metrics.service';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';
import { itWithPromtool, promtool } from '../../support/promtool';

const DOCKER = join(__dirname, '../../../docker');
const ALERTS = readFileSync(join(DOCKER, 'alerts.yaml'), 'utf8');
const PANELS = readdirSync(join(DOCKER, 'grafana'))
  .filter((name) => name.endsWith('.json'))
  .map((name) => readFileSync(join(DOCKER, 'grafana', name), 'utf8'));
const page = (name: string) => readFileSync(join(__dirname, '../../../docs', name), 'utf8');
/** Of histograms. */
const SUFFIX = /_(?:bucket|count|sum)$/;
/** Prometheus itself makes this one. */
const UP = 'up';

/** The names of metrics in a text of PromQL or around it. */
const namesIn = (text: string) =>
  new Set(
    [...text.matchAll(/\b(?:gateway|nodejs|process)_\w+|\bup\b(?=\{)/g)].map(([name]) => name.replace(SUFFIX, '')),
  );

describe('GET /metrics', () => {
  const telegram = new TelegramFake();
  const anthropic = new AnthropicFake();
  const gateway = useGateway({ telegram, anthropic, env: LOCAL_RECEIVERS });
  let receiver: ReceiverFake;

  beforeAll(async () => {
    receiver = await new ReceiverFake().start();
  });

  const read = async () => (await fetch(`${gateway.url}/metrics`)).text();
  const metrics = () => gateway.app.get(Metrics).registry;
  const valuesOf = async (name: string): Promise<MetricValue<string>[]> =>
    (await metrics().getSingleMetric(name)!.get()).values;
  /** The value of the series that has these labels, or 0. */
  const valueOf = async (name: string, labels: Record<string, string | number> = {}, suffix = '') => {
    const values = await valuesOf(name);
    const found = values.find(
      (series) =>
        (!suffix || (series as unknown as { metricName: string }).metricName === name + suffix) &&
        Object.entries(labels).every(([label, value]) => series.labels[label] === value),
    );
    return found?.value ?? 0;
  };
  const ofTelegram = { platform: 'telegram', environment: 'live' };

  it('counts an inbound message, its answer, the AI usage, the events and their deliveries', async () => {
    const url = receiver.url('/metrics');
    await gateway.api('POST', '/webhooks', {
      url,
      events: ['message.received', 'message.sent'],
      secret: 'a secret of good length',
    });
    telegram.receiveText({ chatId: 7, text: 'Hello' });
    await telegram.waitForSent(1);
    await eventually('both events are delivered', async () => {
      expect(await valueOf('gateway_webhook_attempts_total', { outcome: 'delivered' })).toBe(2);
    });
    expect(await valueOf('gateway_messages_received_total', { ...ofTelegram, outcome: 'stored' })).toBe(1);
    expect(await valueOf('gateway_messages_sent_total', { ...ofTelegram, outcome: 'accepted' })).toBe(1);
    expect(await valueOf('gateway_message_send_duration_seconds', ofTelegram, '_count')).toBe(1);
    expect(await valueOf('gateway_reply_duration_seconds', ofTelegram, '_count')).toBe(1);
    const model = { model: 'claude-sonnet-5-5', environment: 'live' };
    const answered = { ...model, outcome: 'answered' };
    expect(await valueOf('gateway_ai_request_duration_seconds', answered, '_count')).toBe(1);
    expect(await valueOf('gateway_ai_tokens_total', { ...model, type: 'output' })).toBeGreaterThan(0);
    expect(await valueOf('gateway_ai_cost_dollars_total', model)).toBeGreaterThan(0);
    expect(await valueOf('gateway_webhook_attempt_duration_seconds', {}, '_count')).toBe(2);
  });

  it('counts a rejected send, a repeated message, and requests above a limit', async () => {
    telegram.block(8);
    await gateway.api('POST', '/messages/send', { platform: 'telegram', recipient: '8', message: 'Hello' });
    expect(await valueOf('gateway_messages_sent_total', { ...ofTelegram, outcome: 'failed' })).toBe(1);
    const key = await gateway.createKey({ requestsPerMinute: 1 });
    await gateway.api('GET', '/status', undefined, { key });
    expect((await gateway.api('GET', '/status', undefined, { key })).status).toBe(429);
    expect(await valueOf('gateway_refusals_total', { limit: 'requests_per_minute' })).toBe(1);
    const refused = { method: 'GET', route: '/api/v1/status', status: 429 };
    await eventually('it is counted by its route', async () => {
      expect(await valueOf('gateway_http_requests_total', refused)).toBe(1);
    });
  });

  it('has a label for each priced model, and `other` for all other models', async () => {
    for (const model of ['claude-haiku-4-5-20251001', 'nobody-knows-1', 'nobody-knows-2']) {
      const body = { message: 'Hello', options: { model } };
      expect((await gateway.api('POST', '/ai/generate', body)).status).toBe(200);
    }
    const requests = await valuesOf('gateway_ai_request_duration_seconds');
    expect(new Set(requests.map(({ labels }) => labels['model']))).toEqual(
      new Set(['claude-sonnet-5-5', 'claude-haiku-4-5', 'other']),
    );
  });

  it('has no more series, whatever clients without a key request', async () => {
    const ask = async (number: number) => {
      await fetch(`${gateway.url}/api/v1/nowhere/${number}?q=${number}`, { method: number % 2 ? 'PROPFIND' : 'PUT' });
      await gateway.api('GET', `/messages/msg_01h455vb4pex5vsknk084sn${String(number).padStart(3, '0')}`);
    };
    for (const number of [1, 2]) await ask(number);
    const seriesOfRequests = async () => {
      const series = await valuesOf('gateway_http_requests_total');
      return series.map(({ labels }) => `${labels['method']} ${labels['route']} ${labels['status']}`).toSorted();
    };
    const before = await seriesOfRequests();
    for (let number = 3; number < 30; number++) await ask(number);
    expect(await seriesOfRequests()).toEqual(before);
    expect(before).toContain('any unknown 404');
    expect(before.join()).not.toMatch(/msg_|nowhere/);
  });

  itWithPromtool('follows the conventions of Prometheus', async () => {
    expect(promtool(['check', 'metrics'], await read())).toBe('');
  });

  it('has each metric that an alert or a dashboard panel uses', async () => {
    const named = namesIn([ALERTS, ...PANELS].join('\n'));
    const known = namesIn(await read());
    expect(named.size).toBeGreaterThan(30);
    expect([...named].filter((name) => name !== UP && !known.has(name))).toEqual([]);
    const own = [...known].filter((name) => name.startsWith('gateway_'));
    // These help to find a fault that others show.
    const unused = [
      'gateway_integration_last_error_timestamp_seconds',
      'gateway_backup_last_success_size_bytes',
      'gateway_updates_ignored_total',
      'gateway_tool_call_duration_seconds',
    ];
    const ofLimits = ['gateway_database_connections_limit'];
    expect(own.filter((name) => !named.has(name)).toSorted()).toEqual([...unused, ...ofLimits].toSorted());
  });

  it('matches the table in docs/metrics.md, metric by metric', async () => {
    const own = metrics()
      .getMetricsAsArray()
      .filter(({ name }) => name.startsWith('gateway_')) as (MetricObject & { labelNames: string[] })[];
    const documented = page('metrics.md')
      .split('\n')
      .filter((line) => line.startsWith('| `gateway_'));
    const cells = documented.map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    const ofCode = await Promise.all(
      own.map(async ({ name, help, labelNames }) => {
        const { type } = await metrics().getSingleMetric(name)!.get();
        const labels = labelNames.filter((label) => label !== 'le');
        return [`\`${name}${labels.length > 0 ? `{${labels.join(',')}}` : ''}\``, String(type), help];
      }),
    );
    const byName = ([one = '']: string[], [other = '']: string[]) => (one < other ? -1 : 1);
    expect(cells.toSorted(byName)).toEqual(ofCode.toSorted(byName));
  });
});

describe('docker/alerts.yaml', () => {
  const alerts = [...ALERTS.matchAll(/^ {6}- alert: (\w+)$/gm)].map(([, name]) => name!);

  it('has a section in docs/alerts.md for each alert, and no section without an alert', () => {
    const sections = [...page('alerts.md').matchAll(/^## (Gateway\w+)\n\n\S/gm)].map(([, name]) => name!);
    expect(sections).toEqual(alerts);
    const links = [...ALERTS.matchAll(/runbook_url: docs\/alerts\.md#(\S+)$/gm)].map(([, anchor]) => anchor);
    expect(links).toEqual(alerts.map((name) => name.toLowerCase()));
  });

  itWithPromtool('fires and stays silent as docker/alerts.test.yaml says', () => {
    promtool(['check', 'rules', join(DOCKER, 'alerts.yaml')]);
    promtool(['test', 'rules', join(DOCKER, 'alerts.test.yaml')]);
    const tests = readFileSync(join(DOCKER, 'alerts.test.yaml'), 'utf8');
    for (const name of alerts) expect(tests).toMatch(new RegExp(`'${name} fires'[^]*'${name} silent'`));
  });

  it('matches the list of limits in docs/metrics.md', () => {
    const [, list] = /`gateway_refusals_total` is one of ([^]*?)\.\n/.exec(page('metrics.md'))!;
    const limits = Array.from(list!.matchAll(/`(\w+)`/g), ([, limit]) => limit);
    expect(new Set(limits)).toEqual(new Set(REFUSAL_LIMITS));
  });
});
