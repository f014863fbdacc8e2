/** A sample receiver in plain Node.js, without libraries. @param secret variable of the environment @param lines follow the check, two spaces deep */
const receiverSample = (secret: string, lines: string) => `import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks); // as it came: parsed and written again, it may differ

  const digest = createHmac('sha256', process.env.${secret}).update(body).digest('hex');
  const expected = Buffer.from(\`sha256=\${digest}\`);
  const given = Buffer.from(request.headers['x-service-signature'] ?? '');
  const genuine = given.length === expected.length && timingSafeEqual(given, expected);

${lines}
}).listen(8080);
`;

export const WEBHOOK_SAMPLE = receiverSample(
  'WEBHOOK_SECRET',
  `  response.writeHead(genuine ? 204 : 400).end();
  if (genuine) console.log(JSON.parse(body)); // {id, type, created_at, data}`,
);

export const TOOL_SAMPLE = receiverSample(
  'TOOL_SECRET',
  `  if (!genuine) return response.writeHead(400).end();
  const { arguments: given, participant } = JSON.parse(body); // the gateway sets the participant, the model the arguments
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ given, asked_by: participant?.id }));`,
);
