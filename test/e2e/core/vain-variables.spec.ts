import { JsonLogger } from '../../../src/core/observability/json-logger';
import { startTestGateway } from '../../support/gateway';

describe('variables without effect in this version', () => {
  it('are named by one warning at the start', async () => {
    const warned = jest.spyOn(JsonLogger.prototype, 'warn');
    await startTestGateway({ env: { BACKUP_KEEP: '3', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318' } });
    const warnings = warned.mock.calls.filter(([, context]) => context === 'Configuration');
    expect(warnings).toEqual([
      ['Without effect in this version: BACKUP_KEEP, OTEL_EXPORTER_OTLP_ENDPOINT', 'Configuration'],
    ]);
  }, 60_000);
});
