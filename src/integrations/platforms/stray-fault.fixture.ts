import { EventEmitter } from 'node:events';
import { insidePlatform, outsidePlatform, platformSignal, watchStrayFaults } from './platform-context';

/**
 * A process in which a platform's code fails where no caller can catch it; with the argument `own`, our own code fails
 * afterwards. It prints each fault, and `alive` if it survives.
 */
function main(own: boolean): void {
  watchStrayFaults((error) => {
    print(`ours: ${String(error)}`);
    process.exit(1);
  });
  const ofPlatform = (error: unknown): void => print(`platform: ${String(error)}`);
  const ending = new AbortController();
  setTimeout(() => ending.abort(), 5);
  const { signal } = platformSignal(ending.signal, ofPlatform);
  insidePlatform(ofPlatform, () => {
    signal.addEventListener('abort', () => {
      throw new Error('abort');
    });
    setTimeout(() => {
      throw new Error('timer');
    }, 1);
    setTimeout(() => new EventEmitter().emit('error', new Error('event')), 2);
    setTimeout(() => void Promise.reject(new Error('rejection')), 3);
    if (own) setTimeout(() => outsidePlatform(() => setTimeout(() => void Promise.reject(new Error('own')), 1)), 20);
  });
  setTimeout(() => print('alive'), 200);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

main(process.argv.includes('own'));
