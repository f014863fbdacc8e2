import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Is called for every answered request. */
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
    const broken = () => {
      // A client that leaves after its answer has begun, as with every stream of events, got that answer.
      if (!raw.headersSent && request.gateway) request.gateway.hasClientLeft = true;
      tell(request, reply);
    };
    if (raw.closed) {
      broken();
    } else {
      raw.once('close', broken).once('finish', () => raw.off('close', broken));
    }
    done(null, payload);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    tell(request, reply);
    done();
  });
}
