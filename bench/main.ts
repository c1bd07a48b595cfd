import { spawnSync } from 'node:child_process';
import { readOptions } from '../tools/read-options.ts';
import { benchAdmission } from './admission/admission.ts';
import { benchApiServer } from './apiserver/apiserver.ts';
import { benchCapture } from './capture/capture.ts';
import { benchExports } from './capture/exports.ts';
import { benchClasses } from './classes/classes.ts';
import { benchCache } from './cache/cache.ts';
import { benchCli } from './cli/cli.ts';
import { benchClient } from './client/client.ts';
import { benchCluster } from './cluster/cluster.ts';
import { benchDrift } from './drift/drift.ts';
import { benchFlood } from './flood/flood.ts';
import { benchManager } from './manager/manager.ts';
import { benchMigration } from './migration/migration.ts';
import { benchMigrations } from './migration/migrations.ts';
import { benchOwnership } from './ownership/ownership.ts';
import { type Comparison, formatComparison, meetsTarget, ratio } from './comparison.ts';

const BENCHMARKS: Readonly<
  Record<
    string,
    (options: {
      pods?: number;
      classes?: number;
      runs?: number;
      rates?: readonly number[];
      base?: string;
    }) => Promise<Comparison>
  >
> = {
  apiserver: benchApiServer,
  manager: benchManager,
  migration: benchMigration,
  migrations: benchMigrations,
  admission: benchAdmission,
  capture: benchCapture,
  exports: benchExports,
  cluster: benchCluster,
  classes: benchClasses,
  cli: benchCli,
  client: benchClient,
  cache: benchCache,
  ownership: benchOwnership,
  drift: benchDrift,
  flood: benchFlood,
};

const USAGE = `npm run bench -- NAME [options]: measures what was built, beside what it is compared with, in one run
  --json      prints the figures as JSON
  --pods N    pods in the cache (only of cache)
  --classes N classes (only of classes); default 1000
  --runs N    runs of each rate (only of migration); default 2, of slow ones 1
  --base DIR  another checkout, built, to compare with (of capture, exports, classes, flood, drift, migration and ownership)
  --rates R,S messages per second (only of migration); default all
Names: ${Object.keys(BENCHMARKS).join(', ')}. docs/testing.md says what each measures.`;

const { values, positionals } = readOptions(USAGE, {
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    pods: { type: 'string' },
    classes: { type: 'string' },
    runs: { type: 'string' },
    rates: { type: 'string' },
    base: { type: 'string' },
  },
});

const [name = ''] = positionals;
const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
if (benchmark === undefined) {
  console.error(name === '' ? USAGE : `There is no benchmark ${name}\n\n${USAGE}`);
  process.exitCode = 2;
} else if (!build()) {
  console.error(`npm run bench -- ${name}: the build failed, and what is measured is what was built`);
  process.exitCode = 1;
} else {
  const { pods, classes, runs, rates, base } = values;
  const comparison = await benchmark({
    ...(pods === undefined ? {} : { pods: Number(pods) }),
    ...(classes === undefined ? {} : { classes: Number(classes) }),
    ...(runs === undefined ? {} : { runs: Number(runs) }),
    ...(base === undefined ? {} : { base }),
    ...(rates === undefined ? {} : { rates: rates.split(',').map(Number) }),
  });
  const rows = comparison.rows.map((row) => ({ ...row, ratio: ratio(row), kept: meetsTarget(row) }));
  console.log(
    values.json ? JSON.stringify({ ...comparison, rows }, undefined, 2) : formatComparison(comparison),
  );
}

/** Brings what runs in processes of its own up to date. */
function build(): boolean {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status } = spawnSync(npm, ['run', '--silent', 'build'], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  return status === 0;
}
