import type { CallbackRequest, InboundMessage, InboundSink, PlatformAdapter } from '#platforms';
import { Integrations } from './integrations.service';

const POST: CallbackRequest = { method: 'POST', query: {}, headers: {}, rawBody: Buffer.alloc(0) };

describe(Integrations.name, () => {
  const failed = jest.fn();
  const succeeded = jest.fn();
  const away = () => Promise.reject(new Error('the database is away'));
  let sut: Integrations;

  beforeEach(() => {
    failed.mockReset();
    succeeded.mockReset();
    sut = new Integrations({} as never, {} as never, {} as never, { failed, succeeded } as never, {} as never);
    sut.registerInbound({ message: away, receipt: away, migrate: away });
  });

  const called = (callback: (request: CallbackRequest, sink: InboundSink) => Promise<{ status: 503; body: '' }>) =>
    sut.callback({ platform: 'whatsapp', callback } as Partial<PlatformAdapter> as PlatformAdapter, POST);

  it('blames no store for a callback that nothing was handed over by', async () => {
    await called(async () => ({ status: 503, body: '' }));
    expect(failed).not.toHaveBeenCalled();
  });

  it.each<[string, (sink: InboundSink) => Promise<void>]>([
    ['message', (sink) => sink.message({} as InboundMessage)],
    ['receipt', (sink) => sink.receipt({} as never)],
    ['migration', (sink) => sink.migrate('1', '2')],
  ])('tells of a %s that could not be stored, without the words of the database', async (_, handOver) => {
    await called(async (_request, sink) => {
      await expect(handOver(sink)).rejects.toThrow('the database did not take it');
      return { status: 503, body: '' };
    });
    expect(failed).toHaveBeenCalledWith(
      'live',
      'whatsapp',
      'receiving',
      expect.objectContaining({ code: 'not_stored' }),
    );
    expect(succeeded).not.toHaveBeenCalled();
  });

  it('tells of one of the sandbox, too', async () => {
    await expect(sut.receive('test', 'discord', {} as InboundMessage)).rejects.toThrow('the database did not take it');
    expect(failed).toHaveBeenCalledWith(
      'test',
      'discord',
      'receiving',
      expect.objectContaining({ code: 'not_stored' }),
    );
  });
});
