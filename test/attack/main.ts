import { constants, setPriority } from 'node:os';
import { readOptions } from '../../tools/read-options.ts';
import { ATTACKS } from './attacks.ts';
import { formatVerdicts, playAttack, type Verdict } from './play-attack.ts';

const USAGE = `npm run attack [-- NAME …] [--short]: attacks a manager and an embedded cluster, each a process of this machine
  --short  a tenth of the inputs, as .ci/run does
Prints what was tried, who ended, the slowest response to a second client, and the memory of the manager and of the cluster.
Names:
${ATTACKS.map(({ name, about }) => `  ${name}: ${about}`).join('\n')}`;

const { positionals } = readOptions(USAGE, {
  allowPositionals: true,
  options: { short: { type: 'boolean', default: false } },
});

const unknown = positionals.filter((name) => ATTACKS.every((attack) => attack.name !== name));
if (unknown.length > 0) {
  console.error(`There is no attack ${unknown.join(', ')}\n\n${USAGE}`);
  process.exit(2);
}
// Attackers have processors of their own; on a small machine they must not take those of who is measured.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const chosen = ATTACKS.filter(({ name, isLong }) =>
  positionals.length === 0 ? isLong !== true : positionals.includes(name),
);
const verdicts: Verdict[] = [];
for (const attack of chosen) {
  process.stderr.write(`${attack.name}: ${attack.about}\n`);
  const verdict = await playAttack(attack);
  for (const fault of verdict.faults) process.stderr.write(`  FAILED: ${fault}\n`);
  verdicts.push(verdict);
}
console.log(formatVerdicts(verdicts));
const failed = verdicts.filter(({ faults }) => faults.length > 0).length;
console.log(`${verdicts.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
