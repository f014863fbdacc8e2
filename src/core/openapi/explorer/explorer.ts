import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { CompressedAnswer } from '../../http/compressed-answer';

/** Files of the package swagger-ui-dist. Its second script has only the bar on top, which this page does not show. */
const FILES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Messaging Gateway API</title>
    <link rel="icon" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <script src="/docs/swagger-ui-bundle.js" defer></script>
    <script src="/docs/explorer.js" defer></script>
  </head>
  <body><div id="explorer"></div></body>
</html>
`;

/**
 * Swagger UI fills the example of a parameter in as its value, so that a list would be filtered by an example's id and date.
 * This page shows the example in the description instead.
 */
const SCRIPT = `'use strict';
const withoutValues = (parameter) => {
  const { example, schema = {}, description = '', ...rest } = parameter;
  const { example: ofSchema, examples, ...plain } = schema;
  const shown = example ?? ofSchema ?? examples?.[0];
  if (shown === undefined) return parameter;
  const words = [description, 'Example: \`' + shown + '\`'].filter(Boolean).join('\\n\\n');
  return { ...rest, schema: plain, description: words };
};
/**
 * Puts the schemas in place of their references. Swagger UI would read the whole document anew for each operation that is
 * opened, which takes seconds.
 */
const resolved = (spec, value, within = []) => {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((each) => resolved(spec, each, within));
  const { $ref: reference, ...rest } = value;
  if (within.includes(reference)) return value;
  const fields = Object.entries(rest).map(([name, each]) => [name, resolved(spec, each, within)]);
  if (reference === undefined) return Object.fromEntries(fields);
  const target = reference.slice('#/'.length).split('/').reduce((place, step) => place[step], spec);
  return { ...resolved(spec, target, [...within, reference]), ...Object.fromEntries(fields) };
};
const resolveSubtree = async (spec, path) => ({
  spec: resolved(
    spec,
    path.reduce((place, step) => place?.[step], spec),
  ),
  errors: [],
});
void (async () => {
  const spec = await (await fetch('/docs-json')).json();
  for (const item of Object.values(spec.paths))
    for (const operation of Object.values(item))
      if (operation.parameters) operation.parameters = operation.parameters.map(withoutValues);
  SwaggerUIBundle({
    spec,
    dom_id: '#explorer',
    deepLinking: true,
    displayRequestDuration: true,
    // Only the operations of opened tags are drawn: all of them take seconds.
    docExpansion: 'none',
    tryItOutEnabled: true,
    // Schemas are shown with the operations that use them.
    defaultModelsExpandDepth: -1,
    plugins: [() => ({ fn: { resolveSubtree } })],
  });
})();
`;

/** Serves Swagger UI at /docs, for the document at /docs-json. */
export async function serveExplorer(fastify: FastifyInstance): Promise<void> {
  const page = new CompressedAnswer('text/html; charset=utf-8', () => PAGE);
  const script = new CompressedAnswer('text/javascript; charset=utf-8', () => SCRIPT);
  for (const path of ['/docs', '/docs/']) fastify.get(path, (request, reply) => page.send(request, reply));
  fastify.get('/docs/explorer.js', (request, reply) => script.send(request, reply));
  // They are read now: an upgrade may remove the folder while the gateway runs (ADR 71).
  const folder = dirname(createRequire(__filename).resolve('swagger-ui-dist/absolute-path.js'));
  for (const [name, type] of Object.entries(FILES)) {
    const bytes = await readFile(join(folder, name));
    const file = new CompressedAnswer(type, () => bytes);
    fastify.get(`/docs/${name}`, (request, reply) => file.send(request, reply));
  }
}
