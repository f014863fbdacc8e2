import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { CompressedAnswer } from '../http/compressed-answer';
import { routeOf } from '../http/lifecycle/request-context';
import { VERSION } from '../version';
import { completeDocument } from './complete-document';
import { serveExplorer } from './explorer/explorer';

const DESCRIPTION = `One REST API between messaging platforms (WhatsApp, Telegram, Discord) and an AI assistant.

Every request carries an API key: \`Authorization: Bearer service_sk_live_…\`. A \`test\` key uses the sandbox, which
behaves like the platforms and the AI but calls neither.

A client that cannot set headers may send the key in the query parameter \`api_key\`. This is less secure, because query
strings may be logged. If both are sent, the header counts.`;

/** In the order in which a new user needs the tags. */
const TAGS: readonly [name: string, description: string][] = [
  ['Messages', 'Send messages, and read sent and received ones.'],
  ['Conversations', 'Conversations with people: list them, take them over, clear their context, erase their data.'],
  ['Media', 'Upload and read the files of messages.'],
  ['Webhooks', 'Events, pushed to your servers.'],
  ['Tools', 'Let the assistant look things up while it answers.'],
  ['Events', 'Events, streamed to connected clients or posted to your servers.'],
  ['AI', 'Generate answers without sending them, and read the status of the provider.'],
  ['Sandbox', 'Simulate inbound messages with a test key.'],
  ['Integrations', 'The connections to the platforms.'],
  ['Templates', 'WhatsApp message templates, which can be sent at any time.'],
  ['API keys', 'Keys with their scopes, limits and budgets.'],
  ['Status', 'The state of the gateway and its components.'],
  ['Problems', 'Failures that need a person, grouped by cause.'],
  ['Statistics', 'Messages sent and received, tokens and costs.'],
  ['Settings', 'Options that you can change while the gateway runs.'],
  ['Audit log', 'Requests to the API, with their keys and response statuses.'],
  ['Backups', 'Copies of the database that can be restored.'],
  ['Dashboard', 'Sign-in to the dashboard without a key.'],
  ['Health', 'For load balancers: no key, no envelope.'],
];

/** Swagger UI loads only its own scripts, has styles in its page and pictures as data URLs. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The OpenAPI document at /docs-json, Swagger UI at /docs. */
export async function installDocumentation(app: NestFastifyApplication): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request, reply, done) => {
    if (routeOf(request)?.startsWith('/docs')) reply.header('content-security-policy', CONTENT_POLICY);
    done();
  });
  const document = new CompressedAnswer('application/json; charset=utf-8', () => JSON.stringify(createDocument(app)));
  fastify.get('/docs-json', (request, reply) => document.send(request, reply));
  SwaggerModule.setup('docs', app, () => createDocument(app), {
    ui: false,
    raw: ['yaml'],
    yamlDocumentUrl: 'docs-yaml',
  });
  await serveExplorer(fastify);
}

/** `MessagesController` and `send` → `messages.send` */
function operationIdFactory(controller: string, handler: string): string {
  const area = controller.replace(/Controller$/, '');
  return `${area[0]!.toLowerCase()}${area.slice(1)}.${handler}`;
}

/** The document of an application. The application need not be initialised. */
export function createDocument(app: NestFastifyApplication) {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Messaging Gateway')
    .setDescription(DESCRIPTION)
    .setVersion(VERSION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'This gateway')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'API key',
      description: 'API key: `service_sk_live_…` or `service_sk_test_…`.',
    });
  const document = completeDocument(SwaggerModule.createDocument(app, builder.build(), { operationIdFactory }));
  const used = new Set(
    Object.values({ ...document.paths, ...document.webhooks }).flatMap((item) =>
      Object.values(item).flatMap((operation) => (operation as { tags?: string[] }).tags ?? []),
    ),
  );
  document.tags = TAGS.filter(([name]) => used.has(name)).map(([name, description]) => ({ name, description }));
  return document;
}
