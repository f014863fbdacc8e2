import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Wants to know of every request that was answered. */
export interface ResponseListener {
  answered(request: FastifyRequest, reply: FastifyReply): void;
}

/**
 * Tells of each request once, when its answer is out, or given up because the client has gone: a response on a broken
 * connection never finishes, and Fastify's `onResponse` never comes.
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
