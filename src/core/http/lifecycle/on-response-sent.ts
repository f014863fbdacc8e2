import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Learns of every answered request. */
export interface ResponseListener {
  answered(request: FastifyRequest, reply: FastifyReply): void;
}

/**
 * Calls the listener once per request: when the answer is sent, or when the client has disconnected. A response on a broken
 * connection never finishes, and Fastify's `onResponse` does not run.
 */
export function onResponseSent(fastify: FastifyInstance, listeners: readonly ResponseListener[]): void {
  const tell = (request: FastifyRequest, reply: FastifyReply) => {
    for (const listener of listeners) listener.answered(request, reply);
  };
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = reply;
    if (raw.closed) {
      tell(request, reply);
    } else {
      const broken = () => tell(request, reply);
      raw.once('close', broken).once('finish', () => raw.off('close', broken));
    }
    done(null, payload);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    tell(request, reply);
    done();
  });
}
