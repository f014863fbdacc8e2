import type { Command } from 'commander';
import { examples } from '../help';

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description('Start the gateway, as `npm start` does; SIGTERM and Ctrl-C stop it')
    .addHelpText('after', examples('start'))
    .action(async () => {
      // The module is the gateway's process: importing it starts the gateway.
      await import('../../../gateway-process.js');
    });
}
