import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Clock } from '../../clock/clock.service';
import { ApiError } from '../lifecycle/api-error';
import { answerOnSocket } from './socket-answer';

const REFUSAL = ApiError.malformed('it is not valid HTTP');

/** What a client gets that is refused while another request is being answered. */
async function received(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    answer(response);
    answerOnSocket(request.socket, REFUSAL, new Clock());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const all = await text(client);
  server.close();
  return all;
}

describe(answerOnSocket, () => {
  it('refuses behind an answer that has ended, even before its last byte has left', async () => {
    const all = await received((response) => response.end('first'));
    expect(all).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*firstHTTP\/1\.1 400 Bad Request\r\n/);
    expect(all).toContain(REFUSAL.message);
  });

  it('cuts the connection within an answer that has not ended', async () => {
    const all = await received((response) => response.write('first'));
    expect(all).not.toContain(REFUSAL.message);
  });
});
