import { isIP, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { limitAnswers } from './answer-limit';
import { unbracketed, type AddressGuard } from './address-guard.service';

type Connect = buildConnector.connector;

interface Options {
  /** The operator's own source addresses, used in turn. */
  egressAddresses: readonly string[];
  /** Time limit of the connection; the exchange as a whole has its own. */
  timeoutMs: number;
  /** How many bytes one answer may have, head included. */
  answerLimitBytes: number;
}

/** Connects requests to URLs that users name: the guard checks every address, and the socket goes to the checked address. */
export function guardedConnector(
  guard: AddressGuard,
  { egressAddresses, timeoutMs, answerLimitBytes }: Options,
): Connect {
  const build = (family: number) =>
    buildConnector({ allowH2: false, timeout: timeoutMs, lookup: guard.lookup, family, port: 0 });
  const anyFamily = build(0);
  const byFamily = { 4: build(4), 6: build(6) };
  let turn = 0;

  return (options, callback) => {
    const hostname = unbracketed(options.hostname);
    try {
      if (isIP(hostname)) guard.checkLiteral(hostname);
    } catch (error) {
      // undici expects the callback after `connect` has returned.
      process.nextTick(callback, error, null);
      return;
    }
    const sources = egressAddresses.filter((address) => !isIP(hostname) || isIP(address) === isIP(hostname));
    const verified: buildConnector.Callback = (...result) => {
      const [error, socket] = result;
      if (error) return callback(error, null);
      const fault = remoteFault(guard, socket);
      if (fault) {
        socket.destroy();
        return callback(fault, null);
      }
      limitAnswers(socket, answerLimitBytes);
      callback(null, socket);
    };
    if (sources.length === 0) return anyFamily({ ...options, hostname }, verified);
    const localAddress = sources[turn++ % sources.length]!;
    const connect = byFamily[isIP(localAddress) as 4 | 6];
    connect({ ...options, hostname, localAddress }, verified);
  };
}

/** Checks the socket itself as well: the guard must hold even if Node's connect does not call its `lookup`. */
function remoteFault(guard: AddressGuard, socket: Socket): Error | undefined {
  if (!socket.remoteAddress) return undefined;
  try {
    guard.checkLiteral(socket.remoteAddress);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
