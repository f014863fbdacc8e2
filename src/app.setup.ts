import { readFileSync } from 'node:fs';
import { VersioningType, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { DataSource } from 'typeorm';
import { AppModule } from './app.module';
import { AccessControl } from './api-keys/access-control';
import { KeyUsage } from './api-keys/key-usage';
import { Clock } from './core/clock/clock';
import type { Configuration } from './core/config/configuration';
import { AuditTrail } from './core/http/audit-trail';
import { BODY_LIMIT_BYTES, installBodyParser } from './core/http/body-parser';
import { installCors } from './core/http/cors';
import { answerClientError, refuseExpectations } from './core/http/client-errors';
import { denyByDefault } from './core/http/deny-by-default';
import { installDeprecations } from './core/http/deprecation';
import { installEnvelope } from './core/http/envelope';
import { answerRouterError } from './core/http/router-error';
import { installRequestHooks } from './core/http/request-hooks';
import { Metrics } from './core/observability/metrics';
import { installDocumentation } from './documentation/documentation';

/** Longest path parameter, in characters: a longer one names nothing. */
const MAX_PARAM_LENGTH = 2_048;

/** The application, wired and initialised but not listening. */
export async function createApp(
  configuration: Configuration,
  dataSource: DataSource,
  logger: LoggerService,
): Promise<NestFastifyApplication> {
  const adapter = createAdapter(configuration);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.forRoot(configuration, dataSource), adapter, {
    logger,
    bodyParser: false,
    abortOnError: false,
  });
  app.setGlobalPrefix('api', { exclude: ['health/*path', 'callbacks/*path', 'metrics'] });
  app.enableVersioning({ type: VersioningType.URI });
  const fastify = app.getHttpAdapter().getInstance();
  const clock = app.get(Clock);
  refuseExpectations(fastify.server);
  denyByDefault(fastify);
  installDeprecations(fastify);
  installBodyParser(fastify);
  app.get(AuditTrail).install(fastify);
  app.get(Metrics).install(fastify);
  installRequestHooks(fastify, clock, configuration.http);
  await installCors(fastify, configuration.http.corsOrigins);
  app.get(AccessControl).install(fastify);
  app.get(KeyUsage).install(fastify);
  installEnvelope(fastify, clock);
  installDocumentation(app);
  await app.init();
  await fastify.ready();
  return app;
}

function createAdapter({ http }: Configuration): FastifyAdapter {
  const https = http.tls && { cert: readFileSync(http.tls.certFile), key: readFileSync(http.tls.keyFile) };
  return new FastifyAdapter({
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: http.trustProxy.length > 0 ? [...http.trustProxy] : false,
    frameworkErrors: answerRouterError,
    clientErrorHandler: answerClientError,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // Fastify's own log would write request URLs, which may carry a key.
    logger: false,
    // No Express middleware here: its engine would look at every request for nothing.
    skipMiddie: true,
    ...(https && { https }),
  } as never);
}
