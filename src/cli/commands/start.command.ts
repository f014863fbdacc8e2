import type { Command } from 'commander';
import { examples } from '../help';

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description('Start the gateway, as `npm start` does; SIGTERM and Ctrl-C stop it')
    .addHelpText('after', examples('start'))
    .action(async () => {
      // The module is the process of the gateway: it starts with its import.
      await import('../../gateway-process.js');
    });
}
