// npm run test:long: what takes long, what npm test does not lint, and more of everything that is random, from a new seed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { finish, prepare, run, runSuites } from './run-suites.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The suites that have a long form: they ask test/support/seeds.ts how much to do, or hold properties. */
const HAS_LONG_FORM = /support\/seeds\.ts'|from 'fast-check'/;

function longSuites() {
  const folders = ['packages', 'test', 'examples'];
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true })
      .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
      .map((path) => join(folder, path))
      .filter((path) => HAS_LONG_FORM.test(readFileSync(join(ROOT, path), 'utf8'))),
  );
}

const seed = process.env.KUBEWRIGHT_SEED ?? String(Date.now() % 2_000_000_000);
const ready = await prepare();
console.log(`seed ${seed}: KUBEWRIGHT_SEED=${seed} npm run test:long plays the same again`);
const filters = process.argv.slice(2);
const linted = ready && (filters.length > 0 || (await run('npm', ['run', '--silent', 'lint:slow'])).ok);
const env = {
  KUBEWRIGHT_LONG: process.env.KUBEWRIGHT_LONG ?? 'true',
  KUBEWRIGHT_SEED: seed,
  KUBEWRIGHT_REAL: 'off',
};
const none = { ok: false, report: undefined };
finish(linted, ready ? await runSuites('long', filters.length > 0 ? filters : longSuites(), env) : none);
