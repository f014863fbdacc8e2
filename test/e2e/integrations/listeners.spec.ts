import { ExternalContextCreator } from '@nestjs/core';
import { useGateway } from '../../support/gateway';

/** As those of the platforms' adapters. */
class Listener {
  readonly heard: unknown[] = [];

  onMessage(message: unknown): string {
    this.heard.push(message);
    return 'stored';
  }

  onFault(): never {
    throw new RangeError('the update has no id');
  }
}

// The global guards, interceptors and filter are those of HTTP, and Nest runs them for listeners too.
describe.each(['telegraf', 'necord'])('a listener of %s', (type) => {
  const gateway = useGateway();

  /** A listener as nestjs-telegraf and necord make it. */
  function bind(listener: Listener, method: 'onMessage' | 'onFault') {
    const creator = gateway.app.get(ExternalContextCreator);
    const enhancers = { guards: true, interceptors: true, filters: true };
    const bound = creator.create(
      listener,
      listener[method],
      method,
      undefined,
      undefined,
      undefined,
      undefined,
      enhancers,
      type,
    );
    return bound as (message: unknown) => Promise<unknown>;
  }

  it('receives every message: the global HTTP guards and interceptors let it pass', async () => {
    const listener = new Listener();
    const message = { text: 'Hello' };
    expect(await bind(listener, 'onMessage')(message)).toBe('stored');
    expect(listener.heard).toEqual([message]);
  });

  it('reports its error to the caller: the global HTTP filter passes it on', async () => {
    await expect(bind(new Listener(), 'onFault')({})).rejects.toThrow(new RangeError('the update has no id'));
  });
});
