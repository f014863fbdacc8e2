import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { VersioningType, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module';
import { KeyUsageRecorder } from './api-keys/usage/key-usage-recorder.service';
import { installCredentials } from './api-keys/credentials';
import { Clock } from './core/clock/clock.service';
import { Siblings } from './core/cluster/siblings.service';
import type { Configuration } from './core/config/configuration';
import { StartConnections } from './core/database/connections/start-connections';
import { API_PREFIX, OUTSIDE_API_ROUTES } from './core/http/api-prefix';
import { onResponseSent, type ResponseListener } from './core/http/lifecycle/on-response-sent';
import { AuditTrail } from './admin/audit/audit-trail.service';
import { leaveBodiesUnread } from './core/http/lifecycle/body.interceptor';
import { GatewayAdapter } from './core/http/gateway-adapter';
import { installCors } from './core/http/lifecycle/cors';
import { admitExpectations, answerClientError, type ParserRefusal } from './core/http/hardening/client-errors';
import { RefusalCounter } from './core/http/hardening/refusal-counter.service';
import { routeOf, statusOf } from './core/http/lifecycle/request-context';
import { installFirstRefusals, installRequestHooks, refuseUnknownRoutes } from './core/http/lifecycle/request-hooks';
import { readableTarget } from './core/http/lifecycle/request-target';
import { ConnectionLimits } from './core/http/hardening/connection-limits';
import { cutSlowReaders } from './core/http/hardening/slow-readers';
import { REQUEST_MS, SERVER_LIMITS, TLS_LIMITS } from './core/http/hardening/time-limits';
import { readUnreadBodies } from './core/http/hardening/unread-body';
import { Metrics } from './core/observability/metrics.service';
import { Tracer } from './core/observability/tracing/tracer';
import { requestSpans, traceRequests } from './core/http/request-tracing';
import { Dashboard } from './dashboard/dashboard.service';
import { installDocumentation } from './core/openapi/documentation';

/**
 * Longest path parameter, in characters. No limit, because the router refuses longer ones without a check of the key; Node
 * limits the URL.
 */
const MAX_PARAM_LENGTH = Number.MAX_SAFE_INTEGER;

/**
 * The application, wired and initialised but not listening.
 * @param databaseUrl of a migrated database
 */
export async function createApp(
  configuration: Configuration,
  databaseUrl: string,
  logger: LoggerService,
): Promise<NestFastifyApplication> {
  const adapter = createAdapter(
    configuration,
    () => app.get(Clock),
    (refusal) => app.get(AuditTrail).refused(refusal),
  );
  const connections = new StartConnections();
  const rootModule = AppModule.forRoot(configuration, databaseUrl, connections);
  const options = { logger, bodyParser: false, abortOnError: false };
  let app: NestFastifyApplication;
  try {
    app = await NestFactory.create<NestFastifyApplication>(rootModule, adapter, options);
  } catch (error) {
    await connections.close();
    throw error;
  }
  try {
    await wire(app, configuration);
  } catch (error) {
    await app.close().catch(() => undefined); // report the first error
    throw error;
  }
  return app;
}

async function wire(app: NestFastifyApplication, configuration: Configuration): Promise<void> {
  addressRoutes(app);
  const fastify = app.getHttpAdapter().getInstance();
  const clock = app.get(Clock);
  admitExpectations(fastify.server);
  readUnreadBodies(fastify);
  cutSlowReaders(fastify);
  app.get(AuditTrail).install(fastify);
  const metrics = app.get(Metrics);
  // Counted by route, never by path: a path may hold an id.
  const counted: ResponseListener = {
    answered: (request, reply) =>
      metrics.requestAnswered(request.method, routeOf(request), statusOf(request, reply), reply.elapsedTime),
  };
  const message: ResponseListener = { answered: ({ gateway }) => gateway.message?.settle() };
  onResponseSent(fastify, [
    app.get(RefusalCounter),
    app.get(AuditTrail),
    counted,
    app.get(KeyUsageRecorder),
    message,
    requestSpans,
  ]);
  installRequestHooks(fastify, clock);
  traceRequests(fastify, app.get(Tracer));
  new ConnectionLimits(configuration.http, clock, metrics, app.get(Siblings)).install(fastify);
  await installCors(fastify, configuration.http.corsOrigins);
  installFirstRefusals(fastify, configuration.http);
  installCredentials(fastify);
  refuseUnknownRoutes(fastify);
  await installDocumentation(app);
  if (configuration.http.dashboard) await app.get(Dashboard).install(fastify);
  await app.init();
  leaveBodiesUnread(fastify);
  await fastify.ready();
}

/** Sets the prefix of controllers' paths: `/api/v1`. */
export function addressRoutes(app: NestFastifyApplication): void {
  app.setGlobalPrefix(API_PREFIX, { exclude: OUTSIDE_API_ROUTES });
  app.enableVersioning({ type: VersioningType.URI });
}

/** @param clock returns the application's clock, which exists before the first request */
function createAdapter(
  { http }: Configuration,
  clock: () => Clock,
  onRefused: (refusal: ParserRefusal) => void,
): GatewayAdapter {
  // Node would refuse a request without a Host with an empty body: `installFirstRefusals` refuses it in the envelope.
  const server = { ...SERVER_LIMITS, requireHostHeader: false };
  const https = http.tls && {
    ...server,
    ...TLS_LIMITS,
    cert: readFileSync(http.tls.certFile),
    key: readFileSync(http.tls.keyFile),
  };
  // Nest's type takes options of one kind of server, and Fastify's type of the handler lacks the raw packet.
  return new GatewayAdapter({
    trustProxy: http.trustProxy.length > 0 ? [...http.trustProxy] : false,
    requestTimeout: REQUEST_MS,
    clientErrorHandler: answerClientError(clock, onRefused),
    rewriteUrl: ({ url }: IncomingMessage) => readableTarget(url!),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // Fastify's own log would write request URLs, which may carry a key.
    logger: false,
    // The application has no Express middleware: its engine would run on every request for nothing.
    skipMiddie: true,
    // Fastify's own refusal has no envelope. The services stop only after the last request.
    return503OnClosing: false,
    // The adapter's type requires one of the two.
    ...(https ? { https } : { http: server }),
  } as never);
}
