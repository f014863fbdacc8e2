/** A sample receiver in plain Node.js, without libraries. */
export const VERIFY_SAMPLE = `import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks); // as it came: parsed and written again, it may differ

  const digest = createHmac('sha256', process.env.WEBHOOK_SECRET).update(body).digest('hex');
  const expected = Buffer.from(\`sha256=\${digest}\`);
  const given = Buffer.from(request.headers['x-service-signature'] ?? '');
  const genuine = given.length === expected.length && timingSafeEqual(given, expected);

  response.writeHead(genuine ? 204 : 400).end();
  if (genuine) console.log(JSON.parse(body)); // {id, type, created_at, data}
}).listen(8080);
`;
