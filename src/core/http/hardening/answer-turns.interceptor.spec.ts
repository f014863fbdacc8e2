import { Controller, Get, Module } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { eventually } from '../../../../test/support/eventually';
import type { RequestContext } from '../lifecycle/request-context';
import { AnswersInTurn, AnswersOfKeys, AnswerTurns } from './answer-turns.interceptor';
import { HardeningModule } from './hardening.module';

/** Two answers with this many of the longest texts exceed what one key may have in memory. */
const ITEMS = 100;

const first = Promise.withResolvers<string>();
const begun: string[] = [];

@Controller()
class FirstController {
  @Get('first')
  @AnswersInTurn(() => ITEMS)
  answer(): Promise<string> {
    begun.push('first');
    return first.promise;
  }
}

@Controller()
class SecondController {
  @Get('second')
  @AnswersInTurn(() => ITEMS)
  answer(): string {
    begun.push('second');
    return 'second';
  }
}

@Module({ controllers: [FirstController] })
class FirstModule {}

@Module({ controllers: [SecondController] })
class SecondModule {}

describe(AnswerTurns, () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const module = await Test.createTestingModule({ imports: [HardeningModule, FirstModule, SecondModule] }).compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    const fastify = app.getHttpAdapter().getInstance();
    fastify.addHook('onRequest', (request, _reply, done) => {
      request.gateway = { caller: { keyId: String(request.headers['x-key']) } } as RequestContext;
      done();
    });
    await app.init();
  });
  afterAll(() => app.close());

  const get = (url: string, key: string) => app.inject({ method: 'GET', url, headers: { 'x-key': key } });

  it('sends large responses to one key one after another, and to other keys in parallel', async () => {
    const held = get('/first', 'key');
    await eventually('the first answer is being made', () => expect(begun).toEqual(['first']));
    const waiting = get('/second', 'key');
    await eventually('the second waits', () => expect(app.get(AnswersOfKeys).turns.get('key')!.waiting.size).toBe(1));
    expect((await get('/second', 'another key')).body).toBe('second');
    expect(begun).toEqual(['first', 'second']);
    first.resolve('first');
    expect([(await held).body, (await waiting).body]).toEqual(['first', 'second']);
    expect(app.get(AnswersOfKeys).turns.size).toBe(0);
  });
});
