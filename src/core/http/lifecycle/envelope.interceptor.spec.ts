import { Readable } from 'node:stream';
import { Controller, Get, Module, Res, Sse, StreamableFile } from '@nestjs/common';
import { NestFactory, Reflector } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { from } from 'rxjs';
import { Clock } from '../../clock/clock.service';
import { Page } from '../../pagination/list-page';
import { EnvelopeInterceptor } from './envelope.interceptor';
import { installRequestHooks } from './request-hooks';

const META = { request_id: expect.stringMatching(/^req_/) as string, timestamp: expect.any(String) as string };

@Controller()
class AnsweringController {
  @Get('api/object')
  object() {
    return { name: 'one' };
  }

  @Get('api/page')
  page() {
    return new Page([1, 2], { page: 2, per_page: 2 }, 5);
  }

  @Get('api/nothing')
  nothing() {
    return null;
  }

  @Get('api/stream')
  stream() {
    return Readable.from(['as it ', 'is']);
  }

  @Get('api/file')
  file() {
    return new StreamableFile(Buffer.from('as it is'));
  }

  @Get('api/reply')
  async reply(@Res() reply: FastifyReply) {
    await reply.type('text/plain').send('as it is');
  }

  @Sse('api/events')
  events() {
    return from([{ data: 'one' }, { data: 'two' }]);
  }

  @Get('health')
  health() {
    return { status: 'ok' };
  }
}

@Module({ controllers: [AnsweringController] })
class AnsweringModule {}

describe(EnvelopeInterceptor, () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(AnsweringModule, new FastifyAdapter(), { logger: false });
    const clock = new Clock();
    installRequestHooks(app.getHttpAdapter().getInstance(), clock);
    app.useGlobalInterceptors(new EnvelopeInterceptor(clock, app.get(Reflector)));
    await app.init();
  });

  afterAll(() => app.close());

  it.each([
    ['object', { success: true, data: { name: 'one' }, meta: META }],
    [
      'page',
      {
        success: true,
        data: [1, 2],
        meta: { ...META, pagination: { page: 2, per_page: 2, total: 5, total_pages: 3 } },
      },
    ],
    ['nothing', { success: true, data: null, meta: META }],
  ])('wraps the result of a handler under /api: %s', async (path, expected) => {
    expect((await app.inject({ url: `/api/${path}` })).json()).toEqual(expected);
  });

  it.each(['stream', 'file', 'reply'])('does not wrap a %s', async (path) => {
    expect((await app.inject({ url: `/api/${path}` })).body).toBe('as it is');
  });

  it('does not wrap server-sent events', async () => {
    const { headers, body } = await app.inject({ url: '/api/events' });
    expect(headers['content-type']).toMatch(/^text\/event-stream/);
    expect(body).toContain('data: one\n\n');
    expect(body).toContain('data: two\n\n');
  });

  it('does not wrap responses outside of /api', async () => {
    expect((await app.inject({ url: '/health' })).json()).toEqual({ status: 'ok' });
  });
});
