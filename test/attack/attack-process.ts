// Plays the attack that is named on the command line, in a process of its own: main.ts starts it, and gets the verdict as a message.
import { ATTACKS } from './attacks.ts';
import { playAttack } from './play-attack.ts';

const attack = ATTACKS.find(({ name }) => name === process.argv[2]);
if (attack === undefined || process.send === undefined)
  throw new TypeError('npm run attack starts this process');
process.send(await playAttack(attack), () => process.exit());
