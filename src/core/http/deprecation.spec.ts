import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory, Reflector } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiOperation, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Clock } from '../clock/clock.service';
import { Public } from './access.decorator';
import { Deprecated } from './deprecation.decorator';
import { EnvelopeInterceptor } from './lifecycle/envelope.interceptor';
import { installRequestHooks } from './lifecycle/request-hooks';

const GONE_SOON = {
  since: '2026-01-01T00:00:00Z',
  sunset: '2027-02-01T00:00:00Z',
  link: 'https://example.com/migrate',
  message: 'Use /new.',
};

@Controller('api')
class OldController {
  @Get('old')
  @Public()
  @ApiOperation({ summary: 'The old way' })
  @Deprecated(GONE_SOON)
  old() {
    return { old: true };
  }

  @Post('field')
  @Deprecated({ ...GONE_SOON, field: 'options.colour', message: 'Use hue.' })
  @Public()
  field(@Body() body: unknown) {
    return body;
  }

  @Get('new')
  @Public()
  current() {
    return {};
  }
}

@Module({ controllers: [OldController] })
class OldModule {}

describe(Deprecated, () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(OldModule, new FastifyAdapter(), { logger: false });
    const fastify = app.getHttpAdapter().getInstance();
    const clock = new Clock();
    installRequestHooks(fastify, clock);
    app.useGlobalInterceptors(new EnvelopeInterceptor(clock, app.get(Reflector)));
    await app.init();
    await fastify.ready();
  });

  afterAll(() => app.close());

  it('announces a deprecated operation in headers and meta', async () => {
    const answer = await app.inject({ url: '/api/old' });
    expect(answer.headers).toMatchObject({
      deprecation: '@1767225600',
      sunset: 'Mon, 01 Feb 2027 00:00:00 GMT',
      link: '<https://example.com/migrate>; rel="deprecation"; type="text/html"',
    });
    expect(answer.json()).toMatchObject({
      data: { old: true },
      meta: {
        warnings: [{ code: 'DEPRECATED_OPERATION', message: 'Use /new.', sunset: '2027-02-01T00:00:00.000Z' }],
      },
    });
  });

  it('warns of a deprecated field only in responses to requests that use it', async () => {
    const post = (payload: object) => app.inject({ method: 'POST', url: '/api/field', payload });
    const used = await post({ options: { colour: null } });
    expect(used.headers).toMatchObject({ deprecation: '@1767225600' });
    expect(used.json()).toMatchObject({
      meta: { warnings: [{ code: 'DEPRECATED_FIELD', message: 'options.colour: Use hue.' }] },
    });
    const unused = await post({ options: { hue: 5 } });
    expect(unused.headers).not.toHaveProperty('deprecation');
    expect(unused.json<{ meta: object }>().meta).not.toHaveProperty('warnings');
  });

  it('adds nothing to other operations', async () => {
    const answer = await app.inject({ url: '/api/new' });
    expect(answer.headers).not.toHaveProperty('sunset');
    expect(answer.json<{ meta: object }>().meta).not.toHaveProperty('warnings');
  });

  it('marks a deprecated operation in the OpenAPI document', () => {
    const document = SwaggerModule.createDocument(app, new DocumentBuilder().build());
    expect(document.paths['/api/old']!.get).toMatchObject({ summary: 'The old way', deprecated: true });
    expect(document.paths['/api/field']!.post!.deprecated).toBeUndefined();
  });

  it('rejects a sunset date within twelve months', () => {
    expect(() => Deprecated({ ...GONE_SOON, sunset: '2026-12-31T23:59:59Z' })).toThrow(RangeError);
  });
});
