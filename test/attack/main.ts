import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../../tools/read-options.ts';
import type { Attack } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { formatVerdicts, type Verdict } from './play-attack.ts';

const USAGE = `npm run attack [-- NAME …] [--short]: attacks a manager and an embedded cluster, each a process of this machine
  --short  a tenth of the inputs, as .ci/run does
Prints what was tried, who ended, the slowest response to a second client, and the memory of the manager and of the cluster.
Names:
${ATTACKS.map(({ name, about }) => `  ${name}: ${about}`).join('\n')}`;

const PROCESS = fileURLToPath(new URL('attack-process.ts', import.meta.url));

const { positionals, values } = readOptions(USAGE, {
  allowPositionals: true,
  options: { short: { type: 'boolean', default: false } },
});

const unknown = positionals.filter((name) => ATTACKS.every((attack) => attack.name !== name));
if (unknown.length > 0) {
  console.error(`There is no attack ${unknown.join(', ')}\n\n${USAGE}`);
  process.exit(2);
}
const chosen = ATTACKS.filter(({ name, isLong }) =>
  positionals.length === 0 ? isLong !== true : positionals.includes(name),
);
const verdicts: Verdict[] = [];
for (const attack of chosen) {
  process.stderr.write(`${attack.name}: ${attack.about}\n`);
  const verdict = await played(attack);
  for (const fault of verdict.faults) process.stderr.write(`  FAILED: ${fault}\n`);
  verdicts.push(verdict);
}
console.log(formatVerdicts(verdicts));
const failed = verdicts.filter(({ faults }) => faults.length > 0).length;
console.log(`${verdicts.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/** Each in a process of its own, which takes a lower priority than what it attacks, and could not have it back. */
async function played(attack: Attack): Promise<Verdict> {
  const child = fork(PROCESS, [attack.name, ...(values.short ? ['--short'] : [])]);
  const [verdict] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [undefined])]);
  return (
    verdict ?? { name: attack.name, inputs: 0, seconds: 0, faults: ['the attack ended without a verdict'] }
  );
}
