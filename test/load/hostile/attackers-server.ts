import { Attackers, type Target } from './attackers';
import { listen } from '../webhooks/control-server';

/** Runs the attackers in a separate process, so that they do not slow the honest clients down. */
const attackers = new Attackers(JSON.parse(process.env['TARGET']!) as Target);

listen({
  begin: () => Promise.resolve(attackers.begin()),
  end: () => attackers.end(),
});
