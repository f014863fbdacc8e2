import { Attackers, type Target } from './attackers';
import { listen } from '../webhooks/control-server';

/** Plays the attackers in a process of its own: their work is none of the honest clients'. */
const attackers = new Attackers(JSON.parse(process.env['TARGET']!) as Target);

listen({
  begin: () => Promise.resolve(attackers.begin()),
  end: () => attackers.end(),
});
