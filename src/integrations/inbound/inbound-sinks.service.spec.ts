import { accountOf } from '../../../test/support/accounts';
import { Siblings } from '../../core/cluster/siblings.service';
import type { InboundMessage, InboundSink } from '#platforms';
import { Metrics } from '../../core/observability/metrics.service';
import { NoTracer } from '../../core/observability/tracing/tracer';
import type { AccountNotices } from './account-notices.service';
import { InboundSinks } from './inbound-sinks.service';

describe(InboundSinks.name, () => {
  const failed = jest.fn();
  const succeeded = jest.fn();
  const unavailable = () => Promise.reject(new Error('the database is away'));
  const notStored = expect.objectContaining({ code: 'not_stored' }) as object;
  const notices = { record: unavailable } as unknown as AccountNotices;
  let sut: InboundSinks;

  beforeEach(() => {
    failed.mockReset();
    succeeded.mockReset();
    sut = new InboundSinks(
      { failed, succeeded } as never,
      {} as never,
      new Metrics(new Siblings()),
      new NoTracer(),
      notices,
    );
    sut.register({
      message: unavailable,
      echo: unavailable,
      receipt: unavailable,
      change: unavailable,
      reaction: unavailable,
      marketing: unavailable,
      migrate: unavailable,
    });
  });

  it.each<[string, (sink: InboundSink) => Promise<void>]>([
    ['message', (sink) => sink.message({} as InboundMessage)],
    ['echo', (sink) => sink.echo({} as InboundMessage)],
    ['receipt', (sink) => sink.receipt({} as never)],
    ['reaction', (sink) => sink.reaction({} as never)],
    ['change', (sink) => sink.change({} as never)],
    ['notice', (sink) => sink.notice({} as never)],
    ['marketing preference', (sink) => sink.marketing({} as never)],
    ['migration', (sink) => sink.migrate('1', '2')],
  ])('reports a %s that could not be stored, without the database’s message', async (_, handOver) => {
    await expect(handOver(sut.of(accountOf('live', 'whatsapp')))).rejects.toThrow('could not be stored; see the log');
    expect(failed).toHaveBeenCalledWith(accountOf('live', 'whatsapp'), 'receiving', notStored);
    expect(succeeded).not.toHaveBeenCalled();
  });

  it('reports a sandbox message that could not be stored', async () => {
    await expect(sut.receive(accountOf('test', 'discord'), {} as InboundMessage)).rejects.toThrow(
      'could not be stored; see the log',
    );
    expect(failed).toHaveBeenCalledWith(accountOf('test', 'discord'), 'receiving', notStored);
  });

  it('acknowledges nothing until a handler is registered', async () => {
    sut = new InboundSinks(
      { failed, succeeded } as never,
      {} as never,
      new Metrics(new Siblings()),
      new NoTracer(),
      notices,
    );
    await expect(sut.of(accountOf('live', 'telegram')).message({} as InboundMessage)).rejects.toThrow(
      'could not be stored; see the log',
    );
  });
});
